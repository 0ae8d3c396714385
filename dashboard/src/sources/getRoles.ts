import { z } from 'zod'
import type { Part } from './part.ts'
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
  purses: z.object({ items: z.array(z.object({ peerKey: z.string(), openingWei: wei, taskWei: wei })) }),
  taskPays: z.object({ items: z.array(z.object({ proposerKey: z.string(), amountWei: wei })) }),
})

export type RolesAnswer = z.infer<typeof answer>

const STAKES = 'stakes { items { duty amountWei slashedWei freeFromRound } }'

const QUERY = `query Roles($limit: Int, $tasks: Int) {
  evaluators(orderBy: "votesRevealed", orderDirection: "desc", limit: $limit) {
    items { peerKey fromRound untilRound votesCommitted votesRevealed misses peer { peerKey peerId name ${STAKES} } }
  }
  peers(where: { roundsProposed_gt: 0 }, orderBy: "roundsProposed", orderDirection: "desc", limit: $limit) {
    items { peerKey peerId name roundsProposed ${STAKES} }
  }
  purses(where: { OR: [{ openingWei_gt: "0" }, { taskWei_gt: "0" }] }, limit: 1000) {
    items { peerKey openingWei taskWei }
  }
  taskPays(orderBy: "round", orderDirection: "desc", limit: $tasks) { items { proposerKey amountWei } }
}`

/** Evaluators and proposers, with what they stake and what they earned by these roles. */
export function getRoles(): Promise<Part<RolesAnswer>> {
  return queryIndexer(QUERY, { limit: ROLE_PEERS, tasks: NEWEST_TASKS }, answer)
}
