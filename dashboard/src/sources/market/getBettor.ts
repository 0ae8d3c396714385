import { z } from 'zod'
import { mapPart, type Part } from '../part.ts'
import { queryIndexer } from '../queryIndexer.ts'
import { heldFrom } from './heldFrom.ts'
import { type WithChoices, withChoices } from './withChoices.ts'

/** Tokens in their smallest unit. */
const amount = z.string().regex(/^\d+$/).transform(BigInt)
const items = <T>(row: z.ZodType<T>) => z.object({ items: z.array(row) })

/** Most bets of an account that count. */
export const BETTOR_BETS = 400

const betGame = z.object({
  details: z.string(),
  status: z.enum(['open', 'answered', 'disputed', 'resolved', 'void']),
  winner: z.int().nullable(),
})

const bettor = z.object({
  gameBets: z.object({
    totalCount: z.int(),
    items: z.array(z.object({ gameId: amount, choice: z.int(), stake: amount, atSec: z.int(), game: betGame })),
  }),
  gameHoldings: items(z.object({ gameId: amount, staked: amount, claimed: amount, claimable: amount })),
  peers: items(z.object({ peerKey: z.string(), peerId: z.string(), name: z.string() })),
})

type Indexed = z.infer<typeof bettor>

export type Bettor = Omit<Indexed, 'gameBets'> & {
  gameBets: { totalCount: number; items: WithChoices<Indexed['gameBets']['items'][number]>[] }
  /** Lowest game whose holdings are all in the answer. */
  heldFrom: bigint
}

const QUERY = `query Bettor($account: String!, $bets: Int) {
  gameBets(where: { account: $account }, orderBy: "id", orderDirection: "desc", limit: $bets) {
    totalCount
    items { gameId choice stake atSec game { details status winner } }
  }
  gameHoldings(where: { account: $account }, orderBy: "gameId", orderDirection: "desc", limit: $bets) {
    items { gameId staked claimed claimable }
  }
  peers(where: { account: $account }, limit: 100) { items { peerKey peerId name } }
}`

/**
 * An account's newest bets with their games, what they brought, and its peers.
 *
 * @param account - lower case.
 * @param bets - at most so many, the newest.
 */
export async function getBettor(account: string, bets = BETTOR_BETS): Promise<Part<Bettor>> {
  const part = await queryIndexer(QUERY, { account, bets }, bettor)
  if (part.state === 'down') return part
  const { totalCount, items } = part.data.gameBets
  const whole = await withChoices(items)
  const from = heldFrom(part.data.gameHoldings.items, bets)
  return mapPart(whole, found => ({ ...part.data, gameBets: { totalCount, items: found }, heldFrom: from }))
}
