import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'

export type PeerPublicKey = { type: 'secp256k1' | 'Ed25519' | 'RSA'; key: KeyObject }

/** A peer id that holds its key: multihash `identity`, and libp2p's protobuf of type and key, in its one shortest form. */
const inlineKeys = [
  // Behind the prefix: the point, compressed. SPKI of a key on secp256k1: RFC 5480, SEC 1.
  { type: 'secp256k1', prefix: '002508021221', keyBytes: 33, spki: '3036301006072a8648ce3d020106052b8104000a032200' },
  // RFC 8410.
  { type: 'Ed25519', prefix: '002408011220', keyBytes: 32, spki: '302a300506032b6570032100' },
] as const

const SHA256_PREFIX = '1220'
/** Sizes of RSA keys that the registry accepts. */
const RSA_BITS = { min: 2048, max: 4096 }

/**
 * The public key that a peer id stands for, for `node:crypto`.
 *
 * @param peerId - base58.
 * @param rsaKey - libp2p's protobuf of an RSA key, which the id holds the hash of only; empty for the other kinds.
 * @returns null if the id is of another kind, if it does not belong to the key, or if the key is invalid. A point off the
 * curve is found here or with the first signature.
 */
export function peerPublicKey(peerId: string, rsaKey: Uint8Array): PeerPublicKey | null {
  const id = decodeBase58(peerId)
  if (id === null) return null
  for (const { type, prefix, keyBytes, spki } of inlineKeys) {
    if (id.length !== prefix.length / 2 + keyBytes || !id.toString('hex').startsWith(prefix)) continue
    const key = keyFromSpki(Buffer.concat([Buffer.from(spki, 'hex'), id.subarray(prefix.length / 2)]))
    return key === null || rsaKey.byteLength > 0 ? null : { type, key }
  }
  const hash = createHash('sha256').update(rsaKey).digest('hex')
  if (id.toString('hex') !== SHA256_PREFIX + hash) return null
  const spki = rsaSpkiOf(rsaKey)
  const key = spki === null ? null : keyFromSpki(spki)
  return key !== null && isUsualRsa(key) ? { type: 'RSA', key } : null
}

function decodeBase58(text: string): Buffer | null {
  if (text.length > 64) return null
  try {
    return Buffer.from(base58btc.decode(`z${text}`))
  } catch {
    return null
  }
}

/** Field 1, type 0 (RSA); field 2, bytes behind a length of two bytes, as every RSA key of the sizes taken has. */
function rsaSpkiOf(protobuf: Uint8Array): Uint8Array | null {
  const [a, b, c, low = 0, high = 0] = protobuf
  const length = (low & 0x7f) | (high << 7)
  const wellFormed = a === 8 && b === 0 && c === 0x12 && low > 0x7f && high < 0x80
  return wellFormed && protobuf.byteLength === 5 + length ? protobuf.subarray(5) : null
}

function keyFromSpki(spki: Uint8Array): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch {
    return null
  }
}

/** Other sizes and exponents would cost more to verify than a message is worth. */
function isUsualRsa(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== 'rsa' || publicExponent > 0xffff_ffffn) return false
  return modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max
}
