import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { ContentId, PeerKey, PolicyHash, Root } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/** `ordinal`: the peer's place among those of the round, by first commitment. */
export type RolloutCommitment = {
  peerKey: PeerKey
  ordinal: number
  root: Root
  count: number
  policyHash: PolicyHash
  contentId: ContentId
  block: number
}

/** The rollouts committed in a round, the newest commitment of each peer: it may be amended until the round ends. */
export async function readRolloutCommitments(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<readonly RolloutCommitment[]> {
  const newest = new Map<PeerKey, RolloutCommitment>()
  await events.inRounds({ first: round, last: round }, async range => {
    const logs = await rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'RolloutsCommitted',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    })
    // In the order of the chain, so that the last one wins. Earlier ones are not kept: a peer may amend its commitment any number of times.
    for (const { args, blockNumber } of logs) {
      const { round: _, leafCount: count, ...commitment } = args
      newest.set(args.peerKey, { ...commitment, count, block: Number(blockNumber) })
    }
    return []
  })
  // By peer key: the same for every reader.
  return [...newest.values()].sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
}

/** Rounds for which a name is valid, from the one that it was committed for on, unless its peer commits a newer one. */
const NAME_HOLDS_ROUNDS = 8

/**
 * The policies that sample in a round, by peer key: the last one that each peer named before the round began. Rollouts of another policy, or of a
 * peer without one, score nothing.
 */
export async function readPolicies(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
  peerKeys: readonly PeerKey[],
): Promise<Map<PeerKey, PolicyHash>> {
  if (peerKeys.length === 0) return new Map()
  // The contract accepts a name only for the next round, so all of these are for this round or an earlier one.
  const named = new Map<PeerKey, PolicyHash>()
  await events.inRounds({ first: round - NAME_HOLDS_ROUNDS, last: round + phase.naming }, async range => {
    const logs = await rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'PolicyCommitted',
      args: { peerKey: [...peerKeys] },
      strict: true,
      ...range,
    })
    // In the order of the chain: the last one wins.
    for (const { args } of logs) named.set(args.peerKey, args.policyHash)
    return []
  })
  return named
}

export type RolloutsToCommit = {
  round: number
  peerKey: PeerKey
  root: Root
  count: number
  policyHash: PolicyHash
  contentId: ContentId
  /** The policy that will sample in the next round, if it is known already. */
  nextPolicy?: PolicyHash
}

/** The policy that will sample a peer's rollouts in a round that has not begun. */
type PolicyToCommit = { round: number; peerKey: PeerKey; policyHash: PolicyHash }

/** Commits a peer's rollouts, within their round. Other rollouts in the same round amend. */
export function commitRollouts({ rolloutCommitments }: Contracts, rollouts: RolloutsToCommit): OutboxIntent {
  const { round, peerKey, root, count, policyHash, contentId, nextPolicy = ZERO_HASH } = rollouts
  const args = [BigInt(round), peerKey, root, count, policyHash, contentId, nextPolicy] as const
  return {
    key: `commit-rollouts:${round}:${peerKey}:${root}:${contentId}:${nextPolicy}`,
    to: rolloutCommitments.address,
    data: encodeFunctionData({ abi: rolloutCommitments.abi, functionName: 'commit', args }),
    fromRound: round,
    throughRound: round,
  }
}

/** Names the policy of the next round, for a peer that did not do so in a commitment. The last one before the round begins counts. */
export function commitPolicy({ rolloutCommitments }: Contracts, policy: PolicyToCommit): OutboxIntent {
  const { round, peerKey, policyHash } = policy
  const args = [BigInt(round), peerKey, policyHash] as const
  return {
    key: `commit-policy:${round}:${peerKey}:${policyHash}`,
    to: rolloutCommitments.address,
    data: encodeFunctionData({ abi: rolloutCommitments.abi, functionName: 'commitPolicy', args }),
    fromRound: null, // A round to come is named before the first one begins, too.
    throughRound: round + phase.naming,
  }
}
