import type { Hex } from '#core/hex.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import type { EventReader } from './roundEvents.ts'

export type TaskCommitment = { peerKey: Hex; root: Hex; count: number; contentId: Hex; block: number }
/** `ordinal`: the peer's place among those of the round, by first commitment. */
export type RolloutCommitment = TaskCommitment & { ordinal: number; policyHash: Hex }

/** The tasks committed for a round, the newest commitment of each peer. They are committed one or two rounds before. */
export async function readTaskCommitments(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<TaskCommitment[]> {
  const logs = await events.inRounds({ first: round - 2, last: round - 1 }, range =>
    rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'TasksCommitted',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  return newestOfEach(logs.map(({ args, blockNumber }) => ({ ...args, block: Number(blockNumber) })))
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
function newestOfEach<T extends TaskCommitment & { round?: bigint }>(logs: T[]): Omit<T, 'round'>[] {
  const newest = new Map(logs.map(({ round: _, ...commitment }) => [commitment.peerKey, commitment]))
  return [...newest.values()].sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
}
