import { type HomeParameters, PEERS_PER_PAGE } from '#merge/readPage.ts'
import { getCanary, getSwarmStatus } from '#sources/gateway.ts'
import { getFeed } from '#sources/getFeed.ts'
import { getRoles } from '#sources/getRoles.ts'
import { getStandings } from '#sources/getStandings.ts'

/** More than are shown: bets of one round are folded into one item. */
const FEED_ITEMS = 60

/** Promises of all parts of the home page, so that a slow one does not delay the others. */
export function getHomeData({ search, page, isWhole }: HomeParameters) {
  return {
    status: getSwarmStatus(),
    canary: getCanary(),
    standings: getStandings({ search, isWhole, limit: PEERS_PER_PAGE, offset: (page - 1) * PEERS_PER_PAGE }),
    roles: getRoles(),
    feed: getFeed(FEED_ITEMS),
  }
}
