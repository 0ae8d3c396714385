import { getPeerRecord, type PeerAnswer } from '#sources/getPeerRecord.ts'
import type { Part } from '#sources/part.ts'

/** A peer's key from its address, lower case; null for anything else. */
export function readPeerKey(text: string): string | null {
  return /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
}

export function getPeerData(peerKey: string): Promise<Part<PeerAnswer>> {
  return getPeerRecord(peerKey)
}
