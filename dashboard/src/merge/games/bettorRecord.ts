import type { Bettor } from '#sources/market/getBettor.ts'

type BetGame = Bettor['gameBets']['items'][number]['game']

/** An account's bets in one game. */
export interface BettorGame {
  gameId: bigint
  game: BetGame
  /** By choice, the largest first. */
  stakes: { choice: number; stake: bigint }[]
  /** All of it, by the game's holdings; 0 if its peer took them to another account. */
  staked: bigint
  /** Winnings or a refund: what it took, and what it has yet to claim. */
  claimed: bigint
  claimable: bigint
  lastBetSec: number
}

/** Choices on which about the same part of an account's stakes was put. */
export interface CalibrationBin {
  /** The part of the stakes, mean of the bin, 0 to 1. */
  staked: number
  /** The part of them that won. */
  won: number
  choices: number
}

export interface BettorScore {
  /** Games that ended with a winner. */
  games: number
  /** Mean Brier score of the stakes over games; 0 is best, 2 worst. */
  brier: number
  /** The same of all stakes of those games. */
  marketBrier: number
  calibration: CalibrationBin[]
}

/** By game, the newest first; without games whose holding may be beyond the answer: what came to the account in those is unknown. */
export function bettorGames({ gameBets, gameHoldings, heldFrom }: Omit<Bettor, 'peers'>): BettorGame[] {
  const games = new Map<bigint, BettorGame>()
  for (const { gameId, game, choice, stake, atSec } of gameBets.items) {
    const started = { gameId, game, stakes: [], staked: 0n, claimed: 0n, claimable: 0n, lastBetSec: atSec }
    const known: BettorGame = games.get(gameId) ?? started
    const before = known.stakes.find(one => one.choice === choice)
    if (before === undefined) known.stakes.push({ choice, stake })
    else before.stake += stake
    games.set(gameId, known)
  }
  for (const { gameId, staked, claimed, claimable } of gameHoldings.items) {
    const known = games.get(gameId)
    if (known === undefined) continue
    known.staked += staked
    known.claimed += claimed
    known.claimable += claimable
  }
  for (const { stakes } of games.values()) stakes.sort((a, b) => (a.stake < b.stake ? 1 : -1))
  const held = new Set(gameHoldings.items.map(({ gameId }) => gameId))
  return [...games.values()]
    .filter(({ gameId }) => gameId >= heldFrom || held.has(gameId))
    .sort((a, b) => (a.gameId < b.gameId ? 1 : -1))
}

const BINS = 5

/**
 * Score of a bettor's predictions; null before the first winner. The share of its stakes on a choice counts as its belief, so that a game
 * counts only if all bets on it are in the answer.
 */
export function bettorScore(games: readonly BettorGame[]): BettorScore | null {
  const ended = games.filter(one => one.game.status === 'resolved' && one.game.winner !== null && hasAllBets(one))
  if (ended.length === 0) return null
  const told = ended.flatMap(one => beliefs(one.stakes, one))
  const bins = Array.from({ length: BINS }, (_, bin) => told.filter(({ part }) => binOf(part) === bin))
  return {
    games: ended.length,
    brier: mean(ended.map(one => brier(beliefs(one.stakes, one)))),
    marketBrier: mean(ended.map(one => brier(beliefs(one.game.choices.items, one)))),
    calibration: bins
      .filter(bin => bin.length > 0)
      .map(bin => ({
        staked: mean(bin.map(({ part }) => part)),
        won: mean(bin.map(({ isWinner }) => Number(isWinner))),
        choices: bin.length,
      })),
  }
}

const hasAllBets = ({ stakes, staked }: BettorGame) => stakes.reduce((sum, { stake }) => sum + stake, 0n) === staked

const binOf = (part: number) => Math.min(BINS - 1, Math.floor(part * BINS))

/** The part of stakes on each choice of the game, and whether it won. */
function beliefs(stakes: readonly { choice: number; stake: bigint }[], { game }: BettorGame) {
  const total = stakes.reduce((sum, { stake }) => sum + stake, 0n)
  return game.choices.items.map(({ choice }) => {
    const stake = stakes.find(one => one.choice === choice)?.stake ?? 0n
    const part = total === 0n ? 0 : Number((stake * 1_000_000n) / total) / 1_000_000
    return { part, isWinner: choice === game.winner }
  })
}

const brier = (told: readonly { part: number; isWinner: boolean }[]) =>
  told.reduce((sum, { part, isWinner }) => sum + (part - Number(isWinner)) ** 2, 0)

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
