import { createPrivateKey, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto'
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { AddressError } from '../errors.ts'
import { derOf, lowOf } from './ecdsaSignature.ts'

/** A libp2p key whose signatures are computed on a thread of node's pool, not on the event loop. */
export type PeerPrivateKey = PrivateKey & { sign(bytes: Uint8Array): Promise<Uint8Array> }

/**
 * Reads a peer's private key.
 *
 * @param bytes - libp2p's protobuf, secp256k1, Ed25519 or RSA: also what RL Swarm's `swarm.pem` holds, which is not PEM.
 * @throws {AddressError} if the bytes are something else.
 */
export function peerPrivateKey(bytes: Uint8Array): PeerPrivateKey {
  try {
    const key = privateKeyFromProtobuf(bytes)
    const { type, raw, publicKey } = key
    const equals = (other: unknown): boolean => key.equals(other)
    return { type, raw, publicKey, equals, sign: nativeSigner(key) } as PeerPrivateKey
  } catch (cause) {
    throw new AddressError('The peer key is not a libp2p private key.', {
      hint: 'Restore the peer key from your backup, or make a new identity with npx waggle init.',
      cause,
    })
  }
}

/** The base58 peer id of a private key in libp2p's protobuf form. */
export function peerIdOf(bytes: Uint8Array): string {
  return peerIdFromPrivateKey(peerPrivateKey(bytes)).toString()
}

function nativeSigner(libp2pKey: PrivateKey): PeerPrivateKey['sign'] {
  const key = keyObjectOf(libp2pKey)
  // libp2p hands over lists of bytes too; `subarray` makes one of either.
  if (libp2pKey.type === 'RSA') return bytes => nativeSign('sha256', bytes.subarray(), { key })
  if (libp2pKey.type === 'Ed25519') return bytes => nativeSign(null, bytes.subarray(), { key })
  return async bytes => derOf(lowOf(await nativeSign('sha256', bytes.subarray(), { key, dsaEncoding: 'ieee-p1363' })))
}

function nativeSign(hash: string | null, bytes: Uint8Array, key: SignKeyObjectInput): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    sign(hash, bytes, key, (error, signature) => (error ? reject(error) : resolve(signature))),
  )
}

/** Prefixes that turn 32 bytes of a private key into PKCS#8: RFC 5915 and RFC 8410. */
const pkcs8Prefix = {
  secp256k1: '303e020100301006072a8648ce3d020106052b8104000a042730250201010420',
  Ed25519: '302e020100300506032b657004220420',
} as const

function keyObjectOf({ type, raw }: PrivateKey): KeyObject {
  if (type === 'RSA') return createPrivateKey({ key: Buffer.from(raw), format: 'der', type: 'pkcs1' })
  if (type === 'ECDSA') throw new TypeError('A peer id has no form for keys of this kind.')
  const pkcs8 = Buffer.concat([Buffer.from(pkcs8Prefix[type], 'hex'), raw.subarray(0, 32)])
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
}
