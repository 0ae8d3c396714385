/** Rows of a page of each list. */
export const PEERS_PER_PAGE = 20
export const ROUNDS_PER_PAGE = 25
export const GAMES_PER_PAGE = 6

/** Query of an address, as Next hands it to a page. */
export type Query = Record<string, string | string[] | undefined>

/**
 * One parameter of an address, the first where it was given twice; empty if it is absent. Without control characters, of which the index
 * refuses some.
 */
export function readParameter(query: Query, name: string): string {
  const value = query[name]
  return ((Array.isArray(value) ? value[0] : value) ?? '').replace(/\p{Cc}/gu, '').trim()
}

/** Later pages would be beyond the largest offset that the index takes, 2^31 - 1 rows. */
const MOST_PAGES = 10_000_000

/** The page of a list, from 1; what makes no sense there is as if it were absent. */
export function readPage(query: Query): number {
  const page = Number(readParameter(query, 'page'))
  return Number.isSafeInteger(page) && page > 0 && page <= MOST_PAGES ? page : 1
}

export interface HomeParameters {
  search: string
  page: number
  /** Peers without points too. */
  isWhole: boolean
}

/** Search, page and part of the board, from the address. */
export function readHomeParameters(query: Query): HomeParameters {
  return {
    search: readParameter(query, 'q').slice(0, 100),
    page: readPage(query),
    isWhole: readParameter(query, 'all') === '1',
  }
}
