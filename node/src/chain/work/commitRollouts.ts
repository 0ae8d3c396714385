import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { ContentId, PeerKey, PolicyHash, Root } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

export type RolloutsToCommit = {
  round: number
  peerKey: PeerKey
  root: Root
  count: number
  policyHash: PolicyHash
  contentId: ContentId
  /** The policy that will sample in the next round, where it is known already. */
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

/** Names the policy of the next round: of a peer that did not in a commitment. The last one before the round begins counts. */
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
