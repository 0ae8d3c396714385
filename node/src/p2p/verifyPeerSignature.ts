import { type SignKeyObjectInput, verify } from 'node:crypto'
import { compactOf } from './ecdsaSignature.ts'
import type { PeerPublicKey } from './peerPublicKey.ts'

/**
 * True if the peer signed these bytes, by the rules of libp2p. Computed on a thread of node's pool: libp2p's own check takes
 * 1.5 ms of the event loop.
 *
 * Never throws: a signature that cannot be parsed is a wrong one.
 */
export async function verifyPeerSignature(
  { type, key }: PeerPublicKey,
  bytes: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (type !== 'secp256k1') return nativeVerify(type === 'RSA' ? 'sha256' : null, bytes, { key }, signature)
  const compact = compactOf(signature)
  return compact !== null && nativeVerify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, compact)
}

function nativeVerify(
  hash: string | null,
  bytes: Uint8Array,
  key: SignKeyObjectInput,
  signature: Uint8Array,
): Promise<boolean> {
  return new Promise(resolve => verify(hash, bytes, key, signature, (_error, verified) => resolve(verified === true)))
}
