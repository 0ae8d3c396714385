import type { Hex } from '#core/hex.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import type { EventReader } from './roundEvents.ts'

/**
 * The policies that were named before a round began to sample in it, by peer key: the newest of each peer. Rollouts of another
 * policy, or of a peer that is not here, score nothing.
 */
export async function readPolicies(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<Map<Hex, Hex>> {
  const logs = await events.inRounds({ first: round - 1, last: round - 1 }, range =>
    rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'PolicyCommitted',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  // In the order of the chain: the last one wins.
  return new Map(logs.map(({ args: { peerKey, policyHash } }) => [peerKey, policyHash]))
}
