import { COMMITTEE_SEATS, SHARD_PEERS } from '@waggle/deployments/protocol'
import { z } from 'zod'
import { getCommittee } from './getCommittee.ts'
import { getPeerNames } from './getPeerNames.ts'
import { type Part, ready } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Limit of rows for a whole round: challenges and withheld secrets. Their count says how many there are. */
const LIMIT = 50

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
      proposals: z.int(),
      rolloutCommitments: z.int(),
    })
    .nullable(),
  roundPeers: z.object({
    items: z.array(
      z.object({
        peerKey: z.string(),
        peerId: z.string().nullable(),
        name: z.string().nullable(),
        leafCount: z.int(),
        outcome: z.enum(['scored', 'unavailable', 'noQuorum', 'void', 'falseLeaf', 'withheld']).nullable(),
        scoreMilli: z.int().nullable(),
        openChallenges: z.int(),
      }),
    ),
  }),
  voteCommits: z.object({
    items: z.array(
      z.object({
        evaluatorKey: z.string(),
        revealedAtSec: z.int().nullable(),
        peer,
      }),
    ),
  }),
  votes: z.object({
    items: z.array(z.object({ evaluatorKey: z.string(), peerKey: z.string(), scoreMilli: z.int().nullable() })),
  }),
  leafDemands: z.object({
    totalCount: z.int(),
    items: z.array(
      z.object({ peerKey: z.string(), index: z.int(), state: z.enum(['open', 'shown', 'withheld']), peer }),
    ),
  }),
  appealCases: z.object({
    totalCount: z.int(),
    items: z.array(
      z.object({
        peerKey: z.string(),
        settledMilli: z.int(),
        finalMilli: z.int().nullable(),
        isClosed: z.boolean(),
        isMoot: z.boolean(),
        appeals: z.object({ items: z.array(z.object({ drawn: z.int(), openedMilli: z.array(z.int()) })) }),
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
  withheldSecrets: z.object({
    totalCount: z.int(),
    items: z.array(z.object({ peerKey: z.string(), lostWei: z.string(), peer })),
  }),
  /** All of them only where one committee holds them. */
  evaluatorSeats: z.object({
    totalCount: z.int(),
    items: z.array(z.object({ peerKey: z.string(), peer })),
  }),
})

type Indexed = z.infer<typeof answer>

export type RoundAnswer = Indexed & {
  /**
   * The drawn seats, if there are more than a committee has; `forgotten` if the chain no longer knows them. Null if all seats judge, none is
   * drawn yet, or the chain does not answer.
   */
  committee: { peerKey: string; peer: z.infer<typeof peer> }[] | 'forgotten' | null
}

const QUERY = `query Round($number: Int!, $shard: Int!, $first: Int!, $next: Int!, $seats: Int!, $peers: Int!, $votes: Int!, $limit: Int) {
  round(number: $number) {
    number startsAtSec endsAtSec environmentHash beacon tasks rollouts proposals rolloutCommitments
  }
  roundPeers(where: { round: $number, ordinal_gte: $first, ordinal_lt: $next }, orderBy: "ordinal", limit: $peers) {
    items { peerKey peerId name leafCount outcome scoreMilli openChallenges }
  }
  voteCommits(where: { round: $number, shard: $shard }, limit: $seats) {
    items { evaluatorKey revealedAtSec peer { peerId name } }
  }
  votes(where: { round: $number, shard: $shard }, limit: $votes) { items { evaluatorKey peerKey scoreMilli } }
  leafDemands(where: { round: $number }, limit: $limit) {
    totalCount items { peerKey index state peer { peerId name } }
  }
  appealCases(where: { round: $number }, limit: $limit) {
    totalCount
    items {
      peerKey settledMilli finalMilli isClosed isMoot peer { peerId name }
      appeals(orderBy: "level") { items { drawn openedMilli } }
    }
  }
  openings(where: { round: $number, shard: $shard }, limit: $seats) {
    items { shard evaluatorKey peerKey index scoreMilli paidWei evaluator { peerId name } }
  }
  taskPays(where: { round: $number, shard: $shard }, limit: 1) {
    items { shard proposerKey amountWei proposer { peerId name } }
  }
  withheldSecrets(where: { round: $number }, limit: $limit) {
    totalCount items { peerKey lostWei peer { peerId name } }
  }
  evaluatorSeats(
    where: { fromRound_lte: $number, OR: [{ untilRound: null }, { untilRound_gt: $number }] }
    limit: $seats
  ) { totalCount items { peerKey peer { peerId name } } }
}`

/** The chain's record of one round and of one of its shards; `round` is null if nothing happened in it. */
export async function getRoundRecord(number: number, shard: number): Promise<Part<RoundAnswer>> {
  const first = shard * SHARD_PEERS
  const sizes = { seats: COMMITTEE_SEATS, peers: SHARD_PEERS, votes: COMMITTEE_SEATS * SHARD_PEERS, limit: LIMIT }
  const part = await queryIndexer(QUERY, { number, shard, first, next: first + SHARD_PEERS, ...sizes }, answer)
  if (part.state === 'down') return part
  return ready({ ...part.data, committee: await drawnSeats(part.data, number, shard) })
}

async function drawnSeats(
  { evaluatorSeats, round, roundPeers, voteCommits }: Indexed,
  number: number,
  shard: number,
): Promise<RoundAnswer['committee']> {
  if (evaluatorSeats.totalCount <= COMMITTEE_SEATS || round?.beacon == null || roundPeers.items.length === 0)
    return null
  const keys = await getCommittee(number, shard)
  if (keys === null || keys === 'forgotten') return keys
  const voters = new Map(voteCommits.items.map(({ evaluatorKey, peer }) => [evaluatorKey, peer]))
  const names = await getPeerNames(keys.filter(key => !voters.has(key)))
  return keys.map(peerKey => ({ peerKey, peer: voters.get(peerKey) ?? names.get(peerKey) ?? null }))
}
