import { z } from 'zod'
import { mapPart, type Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Tokens in their smallest unit. */
const amount = z.string().regex(/^\d+$/).transform(BigInt)
const items = <T>(row: z.ZodType<T>) => z.object({ items: z.array(row) })

const game = z.object({
  gameId: amount,
  judge: z.string(),
  details: z.string(),
  status: z.enum(['open', 'answered', 'disputed', 'resolved', 'void']),
  roundCount: z.int(),
  startsAtSec: z.int(),
  bettingSec: z.int(),
  revealSec: z.int(),
  roundsOpened: z.int(),
  bets: z.int(),
  totalStake: amount,
  bond: amount,
  answer: z.int().nullable(),
  winner: z.int().nullable(),
  pot: amount.nullable(),
  paidOut: amount,
  choices: items(z.object({ choice: z.int(), stake: amount })),
  clues: items(z.object({ round: z.int(), clue: z.string() })),
  placed: items(z.object({ id: z.string(), account: z.string(), round: z.int(), choice: z.int(), stake: amount })),
  payouts: items(z.object({ id: z.string(), account: z.string(), payout: amount })),
})

const answer = z.object({ games: z.object({ totalCount: z.int(), items: z.array(game) }) })

export type Game = z.infer<typeof game>

export interface GameList {
  total: number
  games: Game[]
}

const QUERY = `query Games($limit: Int, $offset: Int) {
  games(orderBy: "gameId", orderDirection: "desc", limit: $limit, offset: $offset) {
    totalCount
    items {
      gameId judge details status roundCount startsAtSec bettingSec revealSec roundsOpened bets totalStake bond
      answer winner pot paidOut
      choices(orderBy: "choice", limit: 16) { items { choice stake } }
      clues(orderBy: "round", limit: 32) { items { round clue } }
      placed(orderBy: "id", orderDirection: "desc", limit: 6) { items { id account round choice stake } }
      payouts(orderBy: "id", limit: 12) { items { id account payout } }
    }
  }
}`

/** A page of the market's games, newest first. */
export async function getGames(limit: number, offset: number): Promise<Part<GameList>> {
  const part = await queryIndexer(QUERY, { limit, offset }, answer)
  return mapPart(part, ({ games }) => ({ total: games.totalCount, games: games.items }))
}
