import type { Bet, Game } from '#sources/getGames.ts'

export interface GameMoment {
  atSec: number
  /** Part of all stakes by choice, 0 to 1: what the market believes. */
  shares: number[]
}

export interface PricedBet extends Bet {
  /** Nectar a share, as far as bets of its round on its choice have come. */
  price: number
  /** Whether more of them may come: each makes the shares of all dearer. */
  isProvisional: boolean
}

/** Stakes on each choice over time, from the oldest bet on. Stakes of bets older than those given are included from the start. */
export function gameHistory({ choices, placed }: Pick<Game, 'choices' | 'placed'>): GameMoment[] {
  const bets = [...placed.items].reverse()
  const stakes = choices.items.map(({ choice, stake }) => {
    const known = bets.filter(bet => bet.choice === choice).reduce((sum, bet) => sum + bet.stake, 0n)
    return stake > known ? stake - known : 0n
  })
  const moments: GameMoment[] = []
  for (const bet of bets) {
    const place = choices.items.findIndex(({ choice }) => choice === bet.choice)
    if (place < 0) continue
    stakes[place] = (stakes[place] ?? 0n) + bet.stake
    const total = stakes.reduce((sum, stake) => sum + stake, 0n)
    const moment = { atSec: bet.atSec, shares: stakes.map(stake => (total === 0n ? 0 : ratio(stake, total))) }
    if (moments.at(-1)?.atSec === bet.atSec) moments.pop()
    moments.push(moment)
  }
  return moments
}

/** Shares are whole numbers of the smallest unit: of fewer than this, the price is inexact in its fourth digit or before. */
const EXACT_SHARES = 10_000n

const batchOf = ({ round, choice }: Bet) => `${round} ${choice}`

/**
 * Bets with their price of a share, which all bets of a round on a choice have in common. It is that of the newest that is large enough: the
 * others were told what they would have bought if no bet had followed.
 */
export function pricedBets({ placed, status, clues }: Pick<Game, 'placed' | 'status' | 'clues'>): PricedBet[] {
  const prices = new Map<string, number>()
  for (const [batch, bets] of Map.groupBy(placed.items, batchOf)) {
    const exact = bets.find(({ shares }) => shares >= EXACT_SHARES) ?? bets[0]
    if (exact) prices.set(batch, ratio(exact.stake, exact.shares))
  }
  return placed.items.map(bet => ({
    ...{ ...bet, price: prices.get(batchOf(bet)) ?? 0 },
    // The clue of a round ends its betting.
    isProvisional: status === 'open' && bet.round === clues.items.length,
  }))
}

/** To four decimals. */
function ratio(part: bigint, whole: bigint): number {
  return Number((part * 10_000n) / whole) / 10_000
}

export interface PriceLine {
  choice: number
  /** Oldest first, the last of each second; prices in Nectar a share. */
  points: { atSec: number; price: number }[]
}

/** Prices that bets paid for a share of each choice, of choices that have bets. */
export function priceLines(game: Pick<Game, 'choices' | 'placed' | 'status' | 'clues'>): PriceLine[] {
  const bets = pricedBets(game).reverse()
  return game.choices.items
    .map(({ choice }) => {
      const prices = new Map<number, number>()
      for (const bet of bets) if (bet.choice === choice) prices.set(bet.atSec, bet.price)
      return { choice, points: [...prices].map(([atSec, price]) => ({ atSec, price })) }
    })
    .filter(({ points }) => points.length > 0)
}
