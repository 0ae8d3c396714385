import { z } from 'zod'
import { mapPart, type Part, ready } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Most peers of either role that are shown. */
export const ROLE_PEERS = 200
/** Opened leaves whose tasks are counted, newest first: the indexer gives no more at once. */
export const NEWEST_LEAVES = 1_000

/** Peers whose funds are requested at once: the index counts each as a list, and refuses a large question while it has others. */
const PEERS_A_QUESTION = 90

const named = z.object({ peerKey: z.string(), peerId: z.string(), name: z.string() })
const wei = z.string().transform(BigInt)

const stakes = z.object({
  items: z.array(
    z.object({
      peerKey: z.string(),
      duty: z.enum(['evaluator', 'proposer']),
      amountWei: wei,
      slashedWei: wei,
      freeFromRound: z.int().nullable(),
    }),
  ),
})

const answer = z.object({
  evaluators: z.object({
    items: z.array(
      z.object({
        peerKey: z.string(),
        fromRound: z.int(),
        untilRound: z.int().nullable(),
        votesCommitted: z.int(),
        votesRevealed: z.int(),
        misses: z.int(),
        missedRound: z.int().nullable(),
        peer: named.nullable(),
      }),
    ),
  }),
  peers: z.object({ items: z.array(named.extend({ roundsProposed: z.int() })) }),
  taskPays: z.object({ items: z.array(z.object({ round: z.int(), shard: z.int(), proposerKey: z.string() })) }),
  agreedLeafs: z.object({
    items: z.array(z.object({ round: z.int(), shard: z.int(), medianMilli: z.int().nullable() })),
  }),
})

const fundsAnswer = z.object({
  stakes,
  purses: z.object({ items: z.array(z.object({ peerKey: z.string(), openingWei: wei, taskWei: wei })) }),
})

type Funds = z.infer<typeof fundsAnswer>

export type RolesAnswer = z.infer<typeof answer> & Funds

const QUERY = `query Roles($limit: Int, $leaves: Int) {
  evaluators(orderBy: "votesRevealed", orderDirection: "desc", limit: $limit) {
    items { peerKey fromRound untilRound votesCommitted votesRevealed misses missedRound peer { peerKey peerId name } }
  }
  peers(where: { roundsProposed_gt: 0 }, orderBy: "roundsProposed", orderDirection: "desc", limit: $limit) {
    items { peerKey peerId name roundsProposed }
  }
  taskPays(orderBy: "round", orderDirection: "desc", limit: $leaves) { items { round shard proposerKey } }
  agreedLeafs(orderBy: "round", orderDirection: "desc", limit: $leaves) { items { round shard medianMilli } }
}`

const FUNDS_QUERY = `query RoleFunds($keys: [String], $limit: Int, $stakes: Int) {
  stakes(where: { peerKey_in: $keys }, limit: $stakes) { items { peerKey duty amountWei slashedWei freeFromRound } }
  purses(where: { peerKey_in: $keys }, limit: $limit) { items { peerKey openingWei taskWei } }
}`

/**
 * Evaluators and proposers, with what they stake and what they earned by these roles.
 *
 * @param limit - peers of either role: those that opened votes, or proposed, most often.
 * @param leaves - opened leaves whose tasks are counted, newest first; 1 at least.
 */
export async function getRoles(limit = ROLE_PEERS, leaves = NEWEST_LEAVES): Promise<Part<RolesAnswer>> {
  const part = await queryIndexer(QUERY, { limit, leaves }, answer)
  if (part.state === 'down') return part
  const shown = [...part.data.evaluators.items, ...part.data.peers.items].map(({ peerKey }) => peerKey)
  return mapPart(await getFunds([...new Set(shown)]), found => ({ ...part.data, ...found }))
}

async function getFunds(peerKeys: readonly string[]): Promise<Part<Funds>> {
  const funds: Funds = { stakes: { items: [] }, purses: { items: [] } }
  for (let at = 0; at < peerKeys.length; at += PEERS_A_QUESTION) {
    const keys = peerKeys.slice(at, at + PEERS_A_QUESTION)
    const part = await queryIndexer(FUNDS_QUERY, { keys, limit: keys.length, stakes: 2 * keys.length }, fundsAnswer)
    if (part.state === 'down') return part
    funds.stakes.items.push(...part.data.stakes.items)
    funds.purses.items.push(...part.data.purses.items)
  }
  return ready(funds)
}
