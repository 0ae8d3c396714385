import { phase } from '@waggle/deployments/protocol'
import type { ContentId, PeerKey, Root } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/** One evaluator's votes on a shard of a round: a score and a root for each peer, by ordinal. */
export type RevealedVotes = {
  evaluatorKey: PeerKey
  shard: number
  /** 0 to 1000, or 65535 for 'unavailable'. */
  scoresMilli: readonly number[]
  componentRoots: readonly Root[]
  /** Content id of the score sheet. */
  contentId: ContentId
  block: number
}

/** The votes revealed on a round (in the second round after it). */
export async function readRevealedVotes(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<RevealedVotes[]> {
  const logs = await events.inRounds({ first: round + phase.revealing, last: round + phase.revealing }, range =>
    rpc.getContractEvents({
      ...contracts.rewardVotes,
      eventName: 'VotesRevealed',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  return logs.map(({ args: { round: _, ...votes }, blockNumber }) => ({ ...votes, block: Number(blockNumber) }))
}
