import { formatUnits } from 'viem'

/** The chain's coin, 18 decimals: three digits of what is small, since bonds and gas are thousandths, and no rounding down of a whole one. */
export function formatCoin(amountWei: bigint): string {
  const coin = Number(formatUnits(amountWei, 18))
  return coin.toLocaleString('en', { maximumSignificantDigits: coin < 1 ? 3 : 6 })
}

/** 18 decimals, as Nectar has: tokens for people, with at most two of them. Less than a hundredth is said as that. */
export function formatTokens(amount: bigint): string {
  const tokens = Number(formatUnits(amount, 18))
  if (tokens > 0 && tokens < 0.01) return '< 0.01'
  return tokens.toLocaleString('en', { maximumFractionDigits: 2 })
}
