import { formatUnits } from 'viem'

/** The chain's coin, 18 decimals: three digits of what is small, since bonds and gas are thousandths, and no rounding down of a whole one. */
export function formatCoin(amountWei: bigint): string {
  const coin = Number(formatUnits(amountWei, 18))
  return coin.toLocaleString('en', { maximumSignificantDigits: coin < 1 ? 3 : 6 })
}

/** Tokens of 18 decimals, such as Nectar, with at most two decimals. Amounts below a hundredth are shown as such. */
export function formatTokens(amount: bigint): string {
  const tokens = Number(formatUnits(amount, 18))
  if (tokens > 0 && tokens < 0.01) return '< 0.01'
  return tokens.toLocaleString('en', { maximumFractionDigits: 2 })
}
