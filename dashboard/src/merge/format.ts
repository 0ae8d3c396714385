import { formatEther } from 'viem'

/** Points for people: 1000 thousandths are one point. Always two decimals, so that a column lines up. */
export function formatPoints(milli: number): string {
  return (milli / 1000).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** Nectar from the indexer's wei, with two decimals. */
export function formatNectar(wei: string | number | null | undefined): string {
  const hundredths = BigInt(wei ?? 0) / 10n ** 16n
  return (Number(hundredths) / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** The chain's native coin from wei, with four significant figures, since bonds are small. */
export function formatCoin(wei: string): string {
  return Number(formatEther(BigInt(wei))).toLocaleString('en', { maximumSignificantDigits: 4 })
}

/** A share from 0 to 1, for people: whole percents. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** `16Uiu2HAm…x7Qf`: enough of an identifier to compare by eye. */
export function shorten(id: string, head = 6, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`
}
