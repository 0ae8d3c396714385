import type { Bet, Game } from '#sources/getGames.ts'

export interface GameMoment {
  atSec: number
  /** Part of all stakes by choice, 0 to 1: what the market believes. */
  shares: number[]
}

export interface PricedBet extends Bet {
  /** Nectar a share; null if its shares were diluted to none. */
  price: number | null
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

/** Bets with the price that each paid for a share. */
export function pricedBets(bets: readonly Bet[]): PricedBet[] {
  return bets.map(bet => ({ ...bet, price: bet.shares === 0n ? null : ratio(bet.stake, bet.shares) }))
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

/** Prices that bets paid for a share of each choice, of choices that have priced bets. */
export function priceLines({ choices, placed }: Pick<Game, 'choices' | 'placed'>): PriceLine[] {
  const bets = pricedBets([...placed.items].reverse())
  return choices.items
    .map(({ choice }) => {
      const prices = new Map<number, number>()
      for (const bet of bets) if (bet.choice === choice && bet.price !== null) prices.set(bet.atSec, bet.price)
      return { choice, points: [...prices].map(([atSec, price]) => ({ atSec, price })) }
    })
    .filter(({ points }) => points.length > 0)
}
