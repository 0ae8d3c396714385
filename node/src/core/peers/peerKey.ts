import { keccak256, stringToBytes } from 'viem'
import type { PeerKey } from '../hashes.ts'

/** Number of cached keys: matching a round's announcements with its commitments needs all of them, several times a second. */
const MAX_KEPT = 16_384

const kept = new Map<string, PeerKey>()

/** A peer's key on the chain: keccak-256 of its base58 peer id. */
export function peerKeyOf(peerId: string): PeerKey {
  const known = kept.get(peerId)
  if (known !== undefined) return known
  const peerKey = keccak256(stringToBytes(peerId))
  kept.set(peerId, peerKey)
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string)
  return peerKey
}
