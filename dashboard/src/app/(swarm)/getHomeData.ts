import { type HomeParameters, PEERS_PER_PAGE } from '#merge/readPage.ts'
import { getCanary, getSwarmStatus } from '#sources/gateway.ts'
import { getFeed } from '#sources/getFeed.ts'
import { getRoles } from '#sources/getRoles.ts'
import { getStandings } from '#sources/getStandings.ts'

/** More than are shown: bets of one round are folded into one item. */
const FEED_ITEMS = 60

/** Peers of either role among which the best paid are sought, the most active ones: the index computes what each has earned. */
const GLANCE_PEERS = 20

/** Promises of all parts of the home page, so that a slow one does not delay the others. */
export function getHomeData({ search, page, isWhole }: HomeParameters) {
  return {
    status: getSwarmStatus(),
    canary: getCanary(),
    standings: getStandings({ search, isWhole, limit: PEERS_PER_PAGE, offset: (page - 1) * PEERS_PER_PAGE }),
    roles: getRoles(GLANCE_PEERS, 1),
    feed: getFeed(FEED_ITEMS),
  }
}
