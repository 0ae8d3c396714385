import { z } from 'zod'
import { type Part, ready } from '../part.ts'
import { queryIndexer } from '../queryIndexer.ts'
import { heldFrom } from './heldFrom.ts'
import { type WithChoices, withChoices } from './withChoices.ts'

/** The indexer gives no more at once. */
const NEWEST = 1_000

/** Tokens in their smallest unit. */
const amount = z.string().regex(/^\d+$/).transform(BigInt)
const items = <T>(row: z.ZodType<T>) => z.object({ items: z.array(row) })
const status = z.enum(['open', 'answered', 'disputed', 'resolved', 'void'])

const played = z.object({
  details: z.string(),
  status,
  winner: z.int().nullable(),
})

const answer = z.object({
  games: items(
    z.object({
      judge: z.string(),
      status,
      answer: z.int().nullable(),
      winner: z.int().nullable(),
      disputer: z.string().nullable(),
      pot: amount.nullable(),
      bond: amount,
      fee: amount,
      totalStake: amount,
    }),
  ),
  gameBets: items(
    z.object({ account: z.string(), gameId: amount, choice: z.int(), stake: amount, atSec: z.int(), game: played }),
  ),
  gameHoldings: items(
    z.object({ account: z.string(), gameId: amount, staked: amount, claimed: amount, claimable: amount }),
  ),
})

const owners = z.object({
  peers: items(z.object({ account: z.string(), peerKey: z.string(), peerId: z.string(), name: z.string() })),
})

type Owner = z.infer<typeof owners>['peers']['items'][number]

type Indexed = z.infer<typeof answer>

export type MarketRoles = Omit<Indexed, 'gameBets'> & {
  gameBets: { items: WithChoices<Indexed['gameBets']['items'][number]>[] }
  /** Lowest game whose holdings are all in the answer. */
  heldFrom: bigint
  /** A peer of each account that has one. */
  owners: ReadonlyMap<string, Owner>
}

const QUERY = `query MarketRoles($limit: Int) {
  games(orderBy: "gameId", orderDirection: "desc", limit: $limit) {
    items { judge status answer winner disputer pot bond fee totalStake }
  }
  gameBets(orderBy: "id", orderDirection: "desc", limit: $limit) {
    items { account gameId choice stake atSec game { details status winner } }
  }
  gameHoldings(orderBy: "gameId", orderDirection: "desc", limit: $limit) { items { account gameId staked claimed claimable } }
}`

const OWNERS_QUERY = `query Owners($accounts: [String], $limit: Int) {
  peers(where: { account_in: $accounts }, limit: $limit) { items { account peerKey peerId name } }
}`

/** The market's newest games and bets and what they brought, with the peers of who takes part in them. */
export async function getMarketRoles(): Promise<Part<MarketRoles>> {
  const part = await queryIndexer(QUERY, { limit: NEWEST }, answer)
  if (part.state === 'down') return part
  const { games, gameBets } = part.data
  const accounts = [
    ...new Set([...games.items.map(({ judge }) => judge), ...gameBets.items.map(({ account }) => account)]),
  ]
  const bets = await withChoices(gameBets.items)
  if (bets.state === 'down') return bets
  const named = accounts.length === 0 ? null : await queryIndexer(OWNERS_QUERY, { accounts, limit: NEWEST }, owners)
  const found = named?.state === 'ready' ? named.data.peers.items : []
  const owned = new Map(found.map(owner => [owner.account, owner]))
  const from = heldFrom(part.data.gameHoldings.items, NEWEST)
  return ready({ ...part.data, gameBets: { items: bets.data }, heldFrom: from, owners: owned })
}
