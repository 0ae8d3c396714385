import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey, peerIdFromString } from '@libp2p/peer-id'
import { AddressError } from './errors.ts'

/**
 * Reads a peer's private key.
 *
 * @param bytes - libp2p's protobuf, secp256k1, Ed25519 or RSA: also what RL Swarm's `swarm.pem` holds, which is not PEM.
 * @throws {AddressError} if the bytes are something else.
 */
export function peerPrivateKey(bytes: Uint8Array): PrivateKey {
  try {
    return privateKeyFromProtobuf(bytes)
  } catch (cause) {
    throw new AddressError('The peer key is not a libp2p private key.', {
      hint: 'Restore the peer key from your backup, or make a new identity with `waggle init`.',
      cause,
    })
  }
}

/** The base58 peer id of a private key in libp2p's protobuf form. */
export function peerIdOf(bytes: Uint8Array): string {
  return peerIdFromPrivateKey(peerPrivateKey(bytes)).toString()
}

/** True for a well-formed base58 peer id. */
export function isPeerId(text: string): boolean {
  if (text.length > 64) return false
  try {
    return peerIdFromString(text).toString() === text
  } catch {
    return false
  }
}
