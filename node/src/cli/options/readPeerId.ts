import { peerIdFromString } from '@libp2p/peer-id'
import type { PeerKey } from '#core/hashes.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { UsageError } from '../usageError.ts'

/**
 * Checks a typed peer id: contracts accept any hash, so a typo would go unnoticed.
 *
 * @throws {UsageError}
 */
export function readPeerId(text: string): string {
  try {
    return peerIdFromString(text).toString()
  } catch (cause) {
    const hint = 'npx waggle init and status, on that peer, and the dashboard show it.'
    throw new UsageError(`${text} is not a peer id.`, { hint, cause })
  }
}

/** The key by which the chain knows a peer. @throws {UsageError} */
export function readPeerKey(text: string): PeerKey {
  return peerKeyOf(readPeerId(text))
}
