const WHOLE_BPS = 10_000n

interface Holding {
  stake: bigint
  shares: bigint
}

/**
 * Payout of a position if its choice wins and nobody bets after it, as `MarketBets.quote` computes it.
 *
 * @param all - stakes and shares of every choice, by its number.
 * @param feeBps - the Judge's part of the losing stakes, in ten-thousandths.
 */
export function payoutIfRight(own: Holding & { choice: number }, all: readonly Holding[], feeBps: number): bigint {
  const right = all[own.choice]
  if (right === undefined || right.shares === 0n) return own.stake
  const losing = all.reduce((sum, { stake }) => sum + stake, 0n) - right.stake
  const pot = losing - (losing * BigInt(feeBps)) / WHOLE_BPS
  return own.stake + (pot * own.shares) / right.shares
}
