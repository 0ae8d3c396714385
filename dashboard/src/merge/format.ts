import { roundDown } from './formatTokens.ts'

/** Points for people: 1000 thousandths are one point. Always two decimals, so that a column lines up. */
export function formatPoints(milli: number): string {
  return (milli / 1000).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** Nectar from the indexer's wei, as `formatTokens` has it, but always with two decimals, so that a column lines up. */
export function formatNectar(wei: string | number | null | undefined): string {
  return roundDown(BigInt(wei ?? 0), 2)
}

/** A share from 0 to 1, for people: whole percents. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** `16Uiu2HAm…x7Qf`: enough of an identifier to compare by eye. */
export function shorten(id: string, head = 6, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`
}
