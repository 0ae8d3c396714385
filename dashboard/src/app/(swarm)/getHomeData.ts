import { type Query, readPage, readParameter } from '#merge/readPage.ts'
import { getCanary, getSwarmStatus } from '#sources/gateway.ts'
import { getFeed } from '#sources/getFeed.ts'
import { getStandings } from '#sources/getStandings.ts'

export const PEERS_PER_PAGE = 20
/** More than are shown: bets of one round are one item. */
const FEED_ITEMS = 60

export interface HomeParameters {
  search: string
  page: number
}

/** Search and page from the address. */
export function readHomeParameters(query: Query): HomeParameters {
  return { search: readParameter(query, 'q').slice(0, 100), page: readPage(query) }
}

/** Every part of the home page, each on its way: a slow one holds up none of the others. */
export function getHomeData({ search, page }: HomeParameters) {
  return {
    status: getSwarmStatus(),
    canary: getCanary(),
    standings: getStandings(search, PEERS_PER_PAGE, (page - 1) * PEERS_PER_PAGE),
    feed: getFeed(FEED_ITEMS),
  }
}
