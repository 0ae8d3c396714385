import { keccak256, stringToBytes } from 'viem'
import type { Hex } from './hex.ts'

/** How the chain names a peer: keccak-256 of its base58 peer id. */
export function peerKeyOf(peerId: string): Hex {
  return keccak256(stringToBytes(peerId))
}
