import { type Bettor, getBettor } from '#sources/market/getBettor.ts'
import { getJudged, type Judged } from '#sources/market/getJudged.ts'
import type { Part } from '#sources/part.ts'

/** An account from its address, lower case; null for anything else. */
export function readAccount(text: string): string | null {
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : null
}

/** An account's bets, and the games that it opened; null if it never opened one. */
export function getBettorData(account: string): Promise<[bets: Part<Bettor>, judged: Judged | null]> {
  return Promise.all([getBettor(account), getJudged(account)])
}
