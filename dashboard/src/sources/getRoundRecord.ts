import { z } from 'zod'
import type { Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** The indexer gives at most this many rows of a kind; a round of a small swarm has far fewer. */
const LIMIT = 1_000

const peer = z.object({ peerId: z.string(), name: z.string() }).nullable()

const answer = z.object({
  round: z
    .object({
      number: z.int(),
      startsAtSec: z.int(),
      endsAtSec: z.int(),
      environmentHash: z.string(),
      beacon: z.string().nullable(),
      tasks: z.int(),
      rollouts: z.int(),
    })
    .nullable(),
  proposals: z.object({ items: z.array(z.object({ peerKey: z.string(), count: z.int(), peer })) }),
  rolloutCommitments: z.object({
    items: z.array(z.object({ peerKey: z.string(), leafCount: z.int(), root: z.string(), peer })),
  }),
  voteCommits: z.object({ items: z.array(z.object({ evaluatorKey: z.string(), revealedAtSec: z.int().nullable() })) }),
  votes: z.object({
    items: z.array(z.object({ evaluatorKey: z.string(), peerKey: z.string(), scoreMilli: z.int().nullable() })),
  }),
  settlements: z.object({
    items: z.array(
      z.object({
        peerKey: z.string(),
        outcome: z.enum(['scored', 'unavailable', 'noQuorum', 'void', 'falseLeaf', 'withheld']),
        scoreMilli: z.int(),
        votes: z.int(),
        openChallenges: z.int(),
        peer,
      }),
    ),
  }),
  leafDemands: z.object({
    items: z.array(
      z.object({ peerKey: z.string(), index: z.int(), state: z.enum(['open', 'shown', 'withheld']), peer }),
    ),
  }),
  appealCases: z.object({
    items: z.array(
      z.object({
        peerKey: z.string(),
        settledMilli: z.int(),
        finalMilli: z.int().nullable(),
        isClosed: z.boolean(),
        isMoot: z.boolean(),
        appeals: z.object({ items: z.array(z.object({ level: z.int(), drawn: z.int() })) }),
        peer,
      }),
    ),
  }),
  openings: z.object({
    items: z.array(
      z.object({
        shard: z.int(),
        evaluatorKey: z.string(),
        peerKey: z.string(),
        index: z.int(),
        scoreMilli: z.int(),
        paidWei: z.string().nullable(),
        evaluator: peer,
      }),
    ),
  }),
  taskPays: z.object({
    items: z.array(
      z.object({
        shard: z.int(),
        proposerKey: z.string(),
        amountWei: z.string(),
        proposer: peer,
      }),
    ),
  }),
  withheldSecrets: z.object({ items: z.array(z.object({ peerKey: z.string(), lostWei: z.string(), peer })) }),
  evaluatorSeats: z.object({
    items: z.array(z.object({ peerKey: z.string(), evaluator: z.object({ peer }).nullable() })),
  }),
})

export type RoundAnswer = z.infer<typeof answer>

const QUERY = `query Round($number: Int!, $limit: Int) {
  round(number: $number) { number startsAtSec endsAtSec environmentHash beacon tasks rollouts }
  proposals(where: { round: $number }, limit: $limit) { items { peerKey count peer { peerId name } } }
  rolloutCommitments(where: { round: $number }, limit: $limit) { items { peerKey leafCount root peer { peerId name } } }
  voteCommits(where: { round: $number }, limit: $limit) { items { evaluatorKey revealedAtSec } }
  votes(where: { round: $number }, limit: $limit) { items { evaluatorKey peerKey scoreMilli } }
  settlements(where: { round: $number }, limit: $limit) {
    items { peerKey outcome scoreMilli votes openChallenges peer { peerId name } }
  }
  leafDemands(where: { round: $number }, limit: $limit) { items { peerKey index state peer { peerId name } } }
  appealCases(where: { round: $number }, limit: $limit) {
    items {
      peerKey settledMilli finalMilli isClosed isMoot peer { peerId name }
      appeals(orderBy: "level") { items { level drawn } }
    }
  }
  openings(where: { round: $number }, limit: $limit) {
    items { shard evaluatorKey peerKey index scoreMilli paidWei evaluator { peerId name } }
  }
  taskPays(where: { round: $number }, limit: $limit) {
    items { shard proposerKey amountWei proposer { peerId name } }
  }
  withheldSecrets(where: { round: $number }, limit: $limit) { items { peerKey lostWei peer { peerId name } } }
  evaluatorSeats(
    where: { fromRound_lte: $number, OR: [{ untilRound: null }, { untilRound_gt: $number }] }
    limit: $limit
  ) { items { peerKey evaluator { peer { peerId name } } } }
}`

/** All that the chain recorded of one round; `round` is null where nothing happened in it. */
export function getRoundRecord(number: number): Promise<Part<RoundAnswer>> {
  return queryIndexer(QUERY, { number, limit: LIMIT }, answer)
}
