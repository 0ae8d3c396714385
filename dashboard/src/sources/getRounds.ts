import { z } from 'zod'
import { mapPart, type Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

const round = z.object({
  number: z.int(),
  startsAtSec: z.int(),
  tasks: z.int(),
  rollouts: z.int(),
  rolloutCommitments: z.int(),
  votesCommitted: z.int(),
  votesRevealed: z.int(),
  settled: z.int(),
  scored: z.int(),
  void: z.int(),
  scoreMilliSum: z.int(),
})

const answer = z.object({ rounds: z.object({ totalCount: z.int(), items: z.array(round) }) })

export type RoundTotals = z.infer<typeof round>

export interface RoundList {
  total: number
  rows: RoundTotals[]
}

const QUERY = `query Rounds($limit: Int, $offset: Int) {
  rounds(orderBy: "number", orderDirection: "desc", limit: $limit, offset: $offset) {
    totalCount
    items {
      number startsAtSec tasks rollouts rolloutCommitments votesCommitted votesRevealed settled scored void scoreMilliSum
    }
  }
}`

/** A page of rounds in which something happened, newest first. */
export async function getRounds(limit: number, offset: number): Promise<Part<RoundList>> {
  const part = await queryIndexer(QUERY, { limit, offset }, answer)
  return mapPart(part, ({ rounds }) => ({ total: rounds.totalCount, rows: rounds.items }))
}
