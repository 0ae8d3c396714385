import type { Hex } from 'viem'

interface Bet {
  holder: Hex
  round: number
  choice: number
  stake: bigint
}

interface Ended {
  /** The choice that won; null where everybody is refunded. */
  winner: number | null
  /** Nectar that is divided in addition to the stakes that come back. */
  pot: bigint
  freeShares: bigint
}

/** 1e18 fixed point. */
const ONE = 10n ** 18n
const MOST_SHARES = 2n ** 96n - 1n

/**
 * The amount that each holder of a game that has ended can claim, as `PredictionMarket.claimableOf` computes it: its stakes on the winner and a
 * part of the pot by shares, or all its stakes back and a part of the pot by stake. Holders of nothing are left out.
 *
 * @param bets - all of the game, as they came.
 */
export function divideGame(bets: readonly Bet[], { winner, pot, freeShares }: Ended): Map<Hex, bigint> {
  const counted = winner === null ? bets : bets.filter(({ choice }) => choice === winner)
  const stakes = stakesBy(counted, ({ holder }) => holder)
  const { weights, whole } =
    winner === null ? { weights: stakes, whole: sum(stakes.values()) } : sharesOf(counted, freeShares)
  return new Map(
    [...stakes].map(([holder, stake]) => {
      const weight = weights.get(holder) ?? 0n
      return [holder, stake + (weight === 0n ? 0n : (pot * weight) / whole)]
    }),
  )
}

/** Shares of bets on one choice: all of a round have one rate, which falls with time and caps what a round adds. */
function sharesOf(bets: readonly Bet[], freeShares: bigint) {
  const weights = new Map<Hex, bigint>()
  let [rate, whole] = [ONE, 0n]
  let isFirst = true
  for (const [round, placed] of Map.groupBy(bets, bet => bet.round)) {
    const stake = sum(placed.map(bet => bet.stake))
    const fading = (ONE * 2n ** BigInt(round)) / 3n ** BigInt(round)
    rate = fading < rate ? fading : rate
    const grown = whole / 10n + freeShares
    const most = isFirst || grown > MOST_SHARES ? MOST_SHARES : grown
    if ((stake * rate) / ONE > most) rate = (most * ONE) / stake
    for (const [holder, own] of stakesBy(placed, bet => bet.holder))
      weights.set(holder, (weights.get(holder) ?? 0n) + (own * rate) / ONE)
    whole += (stake * rate) / ONE
    isFirst = false
  }
  return { weights, whole }
}

function stakesBy(bets: readonly Bet[], keyOf: (bet: Bet) => Hex): Map<Hex, bigint> {
  const groups = [...Map.groupBy(bets, keyOf)]
  return new Map(groups.map(([key, own]) => [key, sum(own.map(({ stake }) => stake))]))
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, one) => total + one, 0n)
