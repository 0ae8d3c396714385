import { formatUnits } from 'viem'

/** 18 decimals, as Nectar has: tokens for people, with at most two of them. Less than a hundredth is said as that. */
export function formatTokens(amount: bigint): string {
  const tokens = Number(formatUnits(amount, 18))
  if (tokens > 0 && tokens < 0.01) return '< 0.01'
  return tokens.toLocaleString('en', { maximumFractionDigits: 2 })
}
