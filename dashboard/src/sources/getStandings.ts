import { z } from 'zod'
import type { Part } from './part.ts'
import { mapPart } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

const standing = z.object({
  rank: z.int(),
  peerKey: z.string(),
  peerId: z.string(),
  name: z.string(),
  account: z.string(),
  finalPointsMilli: z.coerce.number(),
  provisionalPointsMilli: z.coerce.number(),
  contestedPointsMilli: z.coerce.number(),
  contestedRounds: z.int(),
  lastActiveRound: z.int().nullable(),
  compensationWei: z.string(),
})

const answer = z.object({
  standings: z.object({ items: z.array(standing) }),
  peers: z.object({ totalCount: z.int() }),
})

export type Standing = z.infer<typeof standing>

export interface Standings {
  total: number
  rows: Standing[]
}

/** Peers are counted in their own table: to count standings, all of them are ranked a second time. */
const QUERY = `query Standings($where: standingFilter, $counted: peerFilter, $limit: Int, $offset: Int) {
  standings(where: $where, orderBy: "rank", orderDirection: "asc", limit: $limit, offset: $offset) {
    items {
      rank peerKey peerId name account finalPointsMilli provisionalPointsMilli contestedPointsMilli contestedRounds
      lastActiveRound compensationWei
    }
  }
  peers(where: $counted) { totalCount }
}`

/** Percent, underscore and backslash mean something in SQL's LIKE, but not to somebody who searches. */
function literal(text: string): string {
  return text.replace(/[\\%_]/g, character => `\\${character}`)
}

function filterFor(search: string) {
  if (search === '') return {}
  const text = literal(search)
  return {
    OR: [
      { name_contains_nocase: text },
      { peerId_contains_nocase: text },
      { account_contains: text.toLowerCase() },
      { peerKey: search.toLowerCase() },
    ],
  }
}

/** A page of the leaderboard, best first: those whose name, peer id or account contains `search`. Ranks are those of the whole board. */
export async function getStandings(search: string, limit: number, offset: number): Promise<Part<Standings>> {
  const counted = filterFor(search)
  // By rank where nobody is left out: the index then ranks no further than the page.
  const page =
    search === ''
      ? { where: { rank_gt: offset, rank_lte: offset + limit }, limit, offset: 0 }
      : { where: counted, limit, offset }
  const part = await queryIndexer(QUERY, { ...page, counted }, answer)
  return mapPart(part, ({ standings, peers }) => ({ total: peers.totalCount, rows: standings.items }))
}
