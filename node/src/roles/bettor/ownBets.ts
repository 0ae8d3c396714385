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
  /** Payout, once it is known. */
  paid: number
  /** When its end was noted, by the chain's time; 0 before. */
  endedAtSec: number
}

/** By the numbers of their games. */
type OwnBets = Readonly<Record<string, OwnBet>>

const DAY_SEC = 86_400
const STATE = 'bets'

/** Fields that older versions did not note. */
const UNKNOWN = { judge: '', bond: 0, paid: 0, endedAtSec: 0 }

type Journal = Pick<MarketSession, 'journal'>

export function ownBets({ journal }: Journal): OwnBets {
  const kept = Object.entries((journal.getState(STATE) ?? {}) as OwnBets)
  return Object.fromEntries(kept.map(([gameId, bet]) => [gameId, { ...UNKNOWN, ...bet }]))
}

/** Keeps the bets that count. Those that came back count nowhere: a Judge could fill the list with them for gas. */
export function noteBet(session: Journal, gameId: bigint, bet: OwnBet): void {
  const kept = Object.entries({ ...ownBets(session), [String(gameId)]: bet })
  const newestSec = kept.reduce((newest, [, { endedAtSec }]) => Math.max(newest, endedAtSec), 0)
  const needed = kept.filter(([, one]) => counts(one, newestSec) && !(one.isOver && one.paid === one.staked))
  session.journal.setState(STATE, Object.fromEntries(needed))
}

const counts = ({ isOver, endedAtSec }: OwnBet, nowSec: number) => !isOver || endedAtSec > nowSec - DAY_SEC

/**
 * The most tokens that a bet may lose now: what was won in games of its Judge, and beyond that `perGame` in all, less what was lost to Judges in whose
 * games more was lost than won. An open bet counts as lost, and a game that ended in the last 24 hours with its result.
 *
 * A Judge may select questions that policies get wrong, and have another account for each. So losses to all Judges count together, but winnings only
 * for the Judge in whose games they were made.
 */
export function riskLeft(bets: OwnBets, judge: string, nowSec: number, perGame: number): number {
  const results = new Map<string, number>()
  for (const bet of Object.values(bets))
    if (counts(bet, nowSec)) results.set(bet.judge, (results.get(bet.judge) ?? 0) + bet.paid - bet.staked)
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
