import type { ContentId, PeerKey, PolicyHash, Root } from '#core/hashes.ts'
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
): Promise<RolloutCommitment[]> {
  const logs = await events.inRounds({ first: round, last: round }, range =>
    rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'RolloutsCommitted',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  return newestOfEach(
    logs.map(({ args: { leafCount, ...args }, blockNumber }) => ({
      ...args,
      count: leafCount,
      block: Number(blockNumber),
    })),
  )
}

/** Logs come in the order of the chain, so that the last one wins. Sorted by peer key: the same for every reader. */
function newestOfEach<T extends RolloutCommitment & { round?: bigint }>(logs: T[]): Omit<T, 'round'>[] {
  const newest = new Map(logs.map(({ round: _, ...commitment }) => [commitment.peerKey, commitment]))
  return [...newest.values()].sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
}
