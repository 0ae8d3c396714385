import { z } from 'zod'
import { type Part, ready } from './part.ts'
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
  registered: z.object({ totalCount: z.int() }),
})

export type Standing = z.infer<typeof standing>

export interface Standings {
  total: number
  /** All peers, those without points too. */
  registered: number
  rows: Standing[]
}

/** Peers are counted in their own table: to count standings, all of them are ranked a second time. A count without a limit reads a page of rows as well. */
const QUERY = `query Standings($where: standingFilter, $counted: peerFilter, $limit: Int, $offset: Int) {
  standings(where: $where, orderBy: "rank", orderDirection: "asc", limit: $limit, offset: $offset) {
    items {
      rank peerKey peerId name account finalPointsMilli provisionalPointsMilli contestedPointsMilli contestedRounds
      lastActiveRound compensationWei
    }
  }
  peers(where: $counted, limit: 0) { totalCount }
  registered: peers(limit: 0) { totalCount }
}`

/** Percent, underscore and backslash mean something in SQL's LIKE, but not to somebody who searches. */
function literal(text: string): string {
  return text.replace(/[\\%_]/g, character => `\\${character}`)
}

function filterFor({ search, isWhole }: BoardQuery) {
  if (search === '') return isWhole ? {} : { pointsMilli_gt: '0' }
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

/** Part of the leaderboard to read. */
export interface BoardQuery {
  /** Part of a name, a peer id or an account; also finds peers without points. Empty for all peers. */
  search: string
  /** Those without points too; they are there as well while nobody has any. */
  isWhole: boolean
  limit: number
  offset: number
}

/** A page of the leaderboard, best first. Ranks are those of the whole board. */
export async function getStandings(board: BoardQuery): Promise<Part<Standings>> {
  const { search, isWhole, limit, offset } = board
  const counted = filterFor(board)
  // By rank where nobody in between is left out: the index then ranks no further than the page.
  const page =
    search === ''
      ? { where: { ...counted, rank_gt: offset, rank_lte: offset + limit }, limit, offset: 0 }
      : { where: counted, limit, offset }
  const part = await queryIndexer(QUERY, { ...page, counted }, answer)
  if (part.state === 'down') return part
  const { standings, peers, registered } = part.data
  if (search === '' && !isWhole && peers.totalCount === 0 && registered.totalCount > 0)
    return getStandings({ ...board, isWhole: true })
  return ready({ total: peers.totalCount, registered: registered.totalCount, rows: standings.items })
}
