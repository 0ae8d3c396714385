import { z } from 'zod'
import { getJudged, type Judged } from './market/getJudged.ts'
import { type Part, ready } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Rounds of history on a peer's page. */
export const PEER_ROUNDS = 200
/** Votes and earnings of a peer, of which a round has several. */
export const PEER_ROWS = 1_000

const earningSource = z.enum(['score', 'opening', 'task'])
export type EarningSource = z.infer<typeof earningSource>

const hex = z.templateLiteral(['0x', z.string()])

const answer = z.object({
  clock: z.object({ latestRound: z.int().nullable() }).nullable(),
  peer: z
    .object({
      peerKey: z.string(),
      peerId: z.string(),
      name: z.string(),
      account: z.string(),
      registeredAtSec: z.int(),
      countsFromRound: z.int(),
      roundsProposed: z.int(),
      roundsSolved: z.int(),
      roundsSettled: z.int(),
    })
    .nullable(),
  standings: z.object({
    items: z.array(
      z.object({
        rank: z.int(),
        finalPointsMilli: z.coerce.number(),
        provisionalPointsMilli: z.coerce.number(),
        contestedPointsMilli: z.coerce.number(),
        contestedRounds: z.int(),
        compensationWei: z.string(),
      }),
    ),
  }),
  purses: z.object({
    items: z.array(
      z.object({
        scoreWei: z.string(),
        openingWei: z.string(),
        taskWei: z.string(),
        claimedWei: z.string(),
        claimableWei: z.string(),
      }),
    ),
  }),
  peerCredits: z.object({ items: z.array(z.object({ source: z.enum(['challenges', 'market']), owed: z.string() })) }),
  evaluator: z
    .object({
      fromRound: z.int(),
      untilRound: z.int().nullable(),
      votesCommitted: z.int(),
      votesRevealed: z.int(),
      misses: z.int(),
      missedRound: z.int().nullable(),
    })
    .nullable(),
  stakes: z.object({
    items: z.array(
      z.object({
        duty: z.enum(['evaluator', 'proposer']),
        amountWei: z.string(),
        slashedWei: z.string(),
        freeFromRound: z.int().nullable(),
      }),
    ),
  }),
  proposals: z.object({ items: z.array(z.object({ round: z.int(), count: z.int() })) }),
  withheldSecrets: z.object({ items: z.array(z.object({ round: z.int() })) }),
  /** With what a demand of a leaf names. */
  rolloutCommitments: z.object({
    items: z.array(
      z.object({ round: z.int(), ordinal: z.int(), root: hex, leafCount: z.int(), policyHash: hex, contentId: hex }),
    ),
  }),
  voteCommits: z.object({ items: z.array(z.object({ round: z.int(), revealedAtSec: z.int().nullable() })) }),
  votes: z.object({ items: z.array(z.object({ round: z.int(), scoreMilli: z.int().nullable() })) }),
  settlements: z.object({
    items: z.array(
      z.object({
        round: z.int(),
        outcome: z.enum(['scored', 'unavailable', 'noQuorum', 'void', 'falseLeaf', 'withheld']),
        scoreMilli: z.int(),
        votes: z.int(),
        openChallenges: z.int(),
      }),
    ),
  }),
  leafDemands: z.object({
    items: z.array(z.object({ round: z.int(), index: z.int(), state: z.enum(['open', 'shown', 'withheld']) })),
  }),
  appealCases: z.object({
    items: z.array(
      z.object({
        round: z.int(),
        settledMilli: z.int(),
        finalMilli: z.int().nullable(),
        isClosed: z.boolean(),
        isMoot: z.boolean(),
      }),
    ),
  }),
  appeals: z.object({
    items: z.array(z.object({ round: z.int(), level: z.int(), drawn: z.int(), openedMilli: z.array(z.int()) })),
  }),
  earnings: z.object({ items: z.array(z.object({ round: z.int(), source: earningSource, amountWei: z.string() })) }),
})

type Indexed = z.infer<typeof answer>
type Appeals = { items: Omit<Indexed['appeals']['items'][number], 'round'>[] }

export type PeerAnswer = Omit<Indexed, 'appealCases' | 'appeals'> & {
  /** Games that its account opened as a Judge; null if there are none, or the index did not say. */
  judged: Judged | null
  appealCases: { items: (Indexed['appealCases']['items'][number] & { appeals: Appeals })[] }
}

const newest = (rows: number) => `orderBy: "round", orderDirection: "desc", limit: ${rows}`
const [page, longPage] = [newest(PEER_ROUNDS), newest(PEER_ROWS)]

const QUERY = `query Peer($peerKey: String!) {
  clock(id: "rounds") { latestRound }
  peer(peerKey: $peerKey) { peerKey peerId name account registeredAtSec countsFromRound roundsProposed roundsSolved roundsSettled }
  standings: peerStandings(where: { peerKey: $peerKey }) { items {
    rank finalPointsMilli provisionalPointsMilli contestedPointsMilli contestedRounds compensationWei
  } }
  purses(where: { peerKey: $peerKey }) { items { scoreWei openingWei taskWei claimedWei claimableWei } }
  peerCredits(where: { peerKey: $peerKey, owed_gt: "0" }) { items { source owed } }
  evaluator(peerKey: $peerKey) { fromRound untilRound votesCommitted votesRevealed misses missedRound }
  stakes(where: { peerKey: $peerKey }) { items { duty amountWei slashedWei freeFromRound } }
  proposals(where: { peerKey: $peerKey }, ${page}) { items { round count } }
  withheldSecrets(where: { peerKey: $peerKey }, ${page}) { items { round } }
  rolloutCommitments(where: { peerKey: $peerKey }, ${page}) { items { round ordinal root leafCount policyHash contentId } }
  voteCommits(where: { evaluatorKey: $peerKey }, ${page}) { items { round revealedAtSec } }
  votes(where: { peerKey: $peerKey }, ${longPage}) { items { round scoreMilli } }
  settlements(where: { peerKey: $peerKey }, ${page}) { items { round outcome scoreMilli votes openChallenges } }
  leafDemands(where: { peerKey: $peerKey }, ${longPage}) { items { round index state } }
  appealCases(where: { peerKey: $peerKey }, ${page}) {
    items { round settledMilli finalMilli isClosed isMoot }
  }
  appeals(where: { peerKey: $peerKey }, ${longPage}) { items { round level drawn openedMilli } }
  earnings(where: { peerKey: $peerKey }, ${longPage}) {
    items { round source amountWei }
  }
}`

/** All that the chain recorded of one peer, its latest rounds first; `peer` is null where nobody registered that key. */
export async function getPeerRecord(peerKey: string): Promise<Part<PeerAnswer>> {
  const part = await queryIndexer(QUERY, { peerKey: peerKey.toLowerCase() }, answer)
  if (part.state === 'down') return part
  const account = part.data.peer?.account.toLowerCase()
  return ready({ ...withAppeals(part.data), judged: account === undefined ? null : await getJudged(account) })
}

/** Each case with its appeals. They come as one list: a list of each case would make the question a large one, which the index may refuse. */
function withAppeals({ appeals, appealCases, ...rest }: Indexed): Omit<PeerAnswer, 'judged'> {
  const byRound = Map.groupBy(appeals.items, ({ round }) => round)
  const of = (round: number) => (byRound.get(round) ?? []).toSorted((a, b) => a.level - b.level)
  return {
    ...rest,
    appealCases: { items: appealCases.items.map(found => ({ ...found, appeals: { items: of(found.round) } })) },
  }
}
