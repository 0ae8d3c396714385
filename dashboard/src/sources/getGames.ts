import { z } from 'zod'
import { mapPart, type Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Tokens in their smallest unit. */
const amount = z.string().regex(/^\d+$/).transform(BigInt)
const items = <T>(row: z.ZodType<T>) => z.object({ items: z.array(row) })

/** Most bets of a game that its page draws. */
const BETS = 500

const bet = z.object({
  id: z.string(),
  account: z.string(),
  round: z.int(),
  choice: z.int(),
  stake: amount,
  /** Shares that it would have bought, had no bet of its round on the choice followed; 1 at least. */
  shares: amount,
  atSec: z.int(),
})

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
  feeBps: z.int(),
  minBet: amount,
  disputeSec: z.int(),
  answer: z.int().nullable(),
  answeredAtSec: z.int().nullable(),
  disputer: z.string().nullable(),
  disputedAtSec: z.int().nullable(),
  endedAtSec: z.int().nullable(),
  winner: z.int().nullable(),
  pot: amount.nullable(),
  paidOut: amount,
  choices: items(z.object({ choice: z.int(), stake: amount })),
  clues: items(z.object({ round: z.int(), clue: z.string() })),
  placed: items(bet),
  payouts: items(z.object({ id: z.string(), account: z.string(), payout: amount })),
})

const listAnswer = z.object({ games: z.object({ totalCount: z.int(), items: z.array(game) }) })

const gameAnswer = z.object({ game: game.nullable() })

export type Game = z.infer<typeof game>
export type Bet = z.infer<typeof bet>

export interface GameList {
  total: number
  games: Game[]
}

const FIELDS = `
  gameId judge details status roundCount startsAtSec bettingSec revealSec disputeSec roundsOpened bets totalStake bond feeBps
  minBet answer answeredAtSec disputer disputedAtSec winner pot paidOut endedAtSec
  choices(orderBy: "choice", limit: 16) { items { choice stake } }
  clues(orderBy: "round", limit: 32) { items { round clue } }
  payouts(orderBy: "id", limit: 12) { items { id account payout } }
  placed(orderBy: "id", orderDirection: "desc", limit: $bets) { items { id account round choice stake shares atSec } }
`

const QUERY = `query Games($limit: Int, $offset: Int, $bets: Int) {
  games(orderBy: "gameId", orderDirection: "desc", limit: $limit, offset: $offset) {
    totalCount
    items {${FIELDS}}
  }
}`

/** A page of the market's games, newest first. */
export async function getGames(limit: number, offset: number): Promise<Part<GameList>> {
  const part = await queryIndexer(QUERY, { limit, offset, bets: 6 }, listAnswer)
  return mapPart(part, ({ games }) => ({ total: games.totalCount, games: games.items }))
}

const GAME_QUERY = `query Game($gameId: BigInt!, $bets: Int) { game(gameId: $gameId) {${FIELDS}} }`

/** One game with its newest bets; null if there is none of that number. */
export async function getGame(gameId: string): Promise<Part<Game | null>> {
  return mapPart(await queryIndexer(GAME_QUERY, { gameId, bets: BETS }, gameAnswer), ({ game }) => game)
}
