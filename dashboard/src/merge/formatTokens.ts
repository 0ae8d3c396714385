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

/** Tokens of 18 decimals, such as Nectar, with at most two decimals, rounded down: nobody has what was rounded up. Amounts below a hundredth are shown as such. */
export function formatTokens(amount: bigint): string {
  return roundDown(amount, 0)
}

/** @param decimals - the least, 2 at most. */
export function roundDown(amount: bigint, decimals: number): string {
  if (amount > 0n && amount < HUNDREDTH) return '< 0.01'
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: 2 }
  return (Number(amount / HUNDREDTH) / 100).toLocaleString('en', digits)
}

export function formatShares(amount: bigint): string {
  const text = formatTokens(amount)
  return `${text} ${text === '1' ? 'share' : 'shares'}`
}

/** Tokens of 18 decimals to the last digit: an amount that a wallet signs, or a bound. */
export function exactTokens(amount: bigint): string {
  return formatUnits(amount, 18)
}
