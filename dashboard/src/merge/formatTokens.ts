import { formatUnits } from 'viem'

/** The chain's coin, 18 decimals: three digits of what is small, since bonds and gas are thousandths, and no rounding down of a whole one. */
export function formatCoin(amountWei: bigint): string {
  const coin = Number(formatUnits(amountWei, 18))
  return coin.toLocaleString('en', { maximumSignificantDigits: coin < 1 ? 3 : 6 })
}

const HUNDREDTH = 10n ** 16n

/** A profit or a loss in tokens, with its sign: two decimals, or as many as it takes to tell a smaller amount from 0. */
export function formatProfit(amount: bigint): string {
  const size = amount < 0n ? -amount : amount
  const tokens = Number(formatUnits(size, 18))
  const digits = size < HUNDREDTH && size > 0n ? { maximumSignificantDigits: 2 } : two
  return `${amount < 0n ? '−' : amount > 0n ? '+' : ''}${tokens.toLocaleString('en', digits)}`
}

const two = { minimumFractionDigits: 2, maximumFractionDigits: 2 }

/** Tokens of 18 decimals, such as Nectar, with at most two decimals. Amounts below a hundredth are shown as such. */
export function formatTokens(amount: bigint): string {
  const tokens = Number(formatUnits(amount, 18))
  if (tokens > 0 && tokens < 0.01) return '< 0.01'
  return tokens.toLocaleString('en', { maximumFractionDigits: 2 })
}
