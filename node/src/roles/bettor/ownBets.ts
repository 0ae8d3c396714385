import type { Game } from '#chain/games/readGame.ts'
import type { MarketSession } from '../games/marketSession.ts'

/** This account's bets on a game. Amounts are in tokens. */
type OwnBet = {
  staked: number
  /** Round of the last bet. */
  round: number
  isOver: boolean
  judge: string
  /** Price of a dispute; 0 once none is needed. */
  bond: number
  startsAtSec: number
  /** Payout, once it is known. */
  paid: number
}

/** By the numbers of their games. */
type OwnBets = Readonly<Record<string, OwnBet>>

/** Newest games whose bets are remembered after their end: bets on this many in a day would hide a loss. */
const KEPT_GAMES = 256
const DAY_SEC = 86_400
const STATE = 'bets'

/** Fields that older versions did not note. */
const UNKNOWN = { judge: '', bond: 0, startsAtSec: 0, paid: 0 }

type Journal = Pick<MarketSession, 'journal'>

export function ownBets({ journal }: Journal): OwnBets {
  const kept = Object.entries((journal.getState(STATE) ?? {}) as OwnBets)
  return Object.fromEntries(kept.map(([gameId, bet]) => [gameId, { ...UNKNOWN, ...bet }]))
}

/** Keeps open bets, and some that are over. */
export function noteBet(session: Journal, gameId: bigint, bet: OwnBet): void {
  const kept = Object.entries({ ...ownBets(session), [String(gameId)]: bet })
  const newestFirst = kept.sort(([a], [b]) => Number(b) - Number(a))
  const needed = newestFirst.filter(([, { isOver }], at) => !isOver || at < KEPT_GAMES)
  session.journal.setState(STATE, Object.fromEntries(needed))
}

/**
 * The most tokens that a bet on a game may lose: what was won in games of its Judge, and beyond that `perGame` in all, less what was lost to Judges
 * in whose games more was lost than won. Open bets and games that began in the day before count.
 *
 * A Judge may select questions that policies get wrong, and have another account for each. So losses to all Judges count together, but winnings only
 * for the Judge in whose games they were made.
 */
export function riskLeft(bets: OwnBets, { judge, startsAtSec }: Pick<Game, 'judge' | 'startsAtSec'>, perGame: number) {
  const results = new Map<string, number>()
  for (const bet of Object.values(bets))
    if (!bet.isOver || bet.startsAtSec > startsAtSec - DAY_SEC)
      results.set(bet.judge, (results.get(bet.judge) ?? 0) + bet.paid - bet.staked)
  const lost = [...results.values()].reduce((sum, result) => sum + Math.min(0, result), 0)
  return perGame + Math.max(0, results.get(judge) ?? 0) + lost
}

/** Tokens for the disputes of all other open games with own bets: they may all end at once, each with a false answer. */
export function bondsOfOthers(bets: OwnBets, gameId: bigint): number {
  return Object.entries(bets).reduce(
    (sum, [id, { isOver, bond }]) => (isOver || id === String(gameId) ? sum : sum + bond),
    0,
  )
}
