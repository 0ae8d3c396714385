import { phase } from '@waggle/deployments/protocol'
import type { PeerKey, PolicyHash } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/** Rounds that a name holds for, from the one that it was committed for on, while its peer commits no newer one. */
const NAME_HOLDS_ROUNDS = 8

/**
 * The policies that sample in a round, by peer key: what each peer named last before the round began. Rollouts of another policy, or
 * of a peer that is not here, score nothing.
 */
export async function readPolicies(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
  peerKeys: readonly PeerKey[],
): Promise<Map<PeerKey, PolicyHash>> {
  if (peerKeys.length === 0) return new Map()
  // The contract takes a name for the next round only, so that all of these are for this round or an earlier one.
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
