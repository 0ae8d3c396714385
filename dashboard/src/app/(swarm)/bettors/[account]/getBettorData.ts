import { type Bettor, getBettor } from '#sources/market/getBettor.ts'
import type { Part } from '#sources/part.ts'

/** An account from its address, lower case; null for anything else. */
export function readAccount(text: string): string | null {
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : null
}

export function getBettorData(account: string): Promise<Part<Bettor | null>> {
  return getBettor(account)
}
