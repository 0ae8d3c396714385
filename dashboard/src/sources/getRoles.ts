import { z } from 'zod'
import { mapPart, type Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Most peers of either role that are shown. */
export const ROLE_PEERS = 200
/** Paid tasks that are counted, newest first: the indexer gives no more at once. */
export const NEWEST_TASKS = 1_000

const named = z.object({ peerKey: z.string(), peerId: z.string(), name: z.string() })
const wei = z.string().transform(BigInt)

const stakes = z.object({
  items: z.array(
    z.object({
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
        peer: named.extend({ stakes }).nullable(),
      }),
    ),
  }),
  peers: z.object({ items: z.array(named.extend({ roundsProposed: z.int(), stakes })) }),
  taskPays: z.object({ items: z.array(z.object({ proposerKey: z.string(), amountWei: wei })) }),
})

const pursesAnswer = z.object({
  purses: z.object({ items: z.array(z.object({ peerKey: z.string(), openingWei: wei, taskWei: wei })) }),
})

export type RolesAnswer = z.infer<typeof answer> & z.infer<typeof pursesAnswer>

const STAKES = 'stakes { items { duty amountWei slashedWei freeFromRound } }'

const QUERY = `query Roles($limit: Int, $tasks: Int) {
  evaluators(orderBy: "votesRevealed", orderDirection: "desc", limit: $limit) {
    items { peerKey fromRound untilRound votesCommitted votesRevealed misses peer { peerKey peerId name ${STAKES} } }
  }
  peers(where: { roundsProposed_gt: 0 }, orderBy: "roundsProposed", orderDirection: "desc", limit: $limit) {
    items { peerKey peerId name roundsProposed ${STAKES} }
  }
  taskPays(orderBy: "round", orderDirection: "desc", limit: $tasks) { items { proposerKey amountWei } }
}`

const PURSES_QUERY = `query RolePurses($keys: [String], $limit: Int) {
  purses(where: { peerKey_in: $keys }, limit: $limit) { items { peerKey openingWei taskWei } }
}`

/** Evaluators and proposers, with what they stake and what they earned by these roles. */
export async function getRoles(): Promise<Part<RolesAnswer>> {
  const part = await queryIndexer(QUERY, { limit: ROLE_PEERS, tasks: NEWEST_TASKS }, answer)
  if (part.state === 'down') return part
  // By name: a list of all purses ends at 1,000, and peers beyond it would have earned nothing.
  const shown = [...part.data.evaluators.items, ...part.data.peers.items].map(({ peerKey }) => peerKey)
  const keys = [...new Set(shown)]
  const purses = await queryIndexer(PURSES_QUERY, { keys, limit: keys.length }, pursesAnswer)
  return mapPart(purses, found => ({ ...part.data, ...found }))
}
