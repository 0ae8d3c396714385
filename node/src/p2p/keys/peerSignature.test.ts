import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { generateKeyPair, privateKeyToProtobuf, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { base58btc } from 'multiformats/bases/base58'
import { expect, test } from 'vitest'
import { verifyPeerSignature } from '../gossip/messageSignatures.ts'
import { compactOf, derOf, lowOf } from './ecdsaSignature.ts'
import { peerPrivateKey } from './peerPrivateKey.ts'
import { type PeerPublicKey, peerPublicKey } from './peerPublicKey.ts'

const kinds = ['secp256k1', 'Ed25519', 'RSA'] as const
const bytes = Uint8Array.from([1, 2, 3])
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function publicKeyOf(key: PrivateKey): PeerPublicKey {
  const rsaKey = key.type === 'RSA' ? publicKeyToProtobuf(key.publicKey) : new Uint8Array(0)
  const found = peerPublicKey(peerIdFromPrivateKey(key).toString(), rsaKey)
  if (found === null) throw new Error('no key')
  return found
}

const idOf = (multihash: Uint8Array): string => base58btc.encode(multihash).slice(1)
const secp256k1Id = (point: Uint8Array): string => idOf(Uint8Array.from([0, 37, 8, 2, 18, 33, ...point]))

test.each(kinds)('signatures with %s keys are verified by libp2p, and those of libp2p here', async type => {
  const theirs = await generateKeyPair(type, 2048)
  const ours = peerPrivateKey(privateKeyToProtobuf(theirs))
  expect(ours.equals(theirs)).toBe(true)
  const key = publicKeyOf(theirs)
  // Enough that high values of s, and short ones of r, come up.
  for (let round = 0; round < (type === 'secp256k1' ? 64 : 2); round += 1) {
    const message = Uint8Array.from([round])
    const [mine, yours] = [await ours.sign(message), await theirs.sign(message)]
    expect(await theirs.publicKey.verify(message, mine)).toBe(true)
    expect(await verifyPeerSignature(key, message, mine)).toBe(true)
    expect(await verifyPeerSignature(key, message, yours)).toBe(true)
  }
})

test.each(kinds)('a signature with %s is wrong with any bit flipped, any byte more or less', async type => {
  const theirs = await generateKeyPair(type, 2048)
  const key = publicKeyOf(theirs)
  const signature = Uint8Array.from(await theirs.sign(bytes))
  for (let at = 0; at < signature.byteLength; at += type === 'RSA' ? 16 : 1) {
    const flipped = Uint8Array.from(signature)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
    expect(await verifyPeerSignature(key, bytes, flipped), `bit ${at % 8} of byte ${at}`).toBe(false)
  }
  for (const wrong of [
    [],
    [0],
    signature.subarray(1),
    signature.subarray(0, -1),
    [...signature, 0],
    [0, ...signature],
  ]) {
    expect(await verifyPeerSignature(key, bytes, Uint8Array.from(wrong))).toBe(false)
  }
  expect(await verifyPeerSignature(key, Uint8Array.from([1, 2]), signature)).toBe(false)
})

test('the one with the higher s of two equivalent secp256k1 signatures is refused', async () => {
  const theirs = await generateKeyPair('secp256k1')
  const low = compactOf(Uint8Array.from(await theirs.sign(bytes)))
  if (low === null) throw new Error('not low')
  const s = ORDER - BigInt(`0x${low.subarray(32).toString('hex')}`)
  const high = Buffer.concat([low.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  expect(lowOf(high)).toEqual(low)
  expect(lowOf(low)).toEqual(low)
  expect(await verifyPeerSignature(publicKeyOf(theirs), bytes, derOf(high))).toBe(false)
  expect(await theirs.publicKey.verify(bytes, derOf(high))).toBe(false)
})

test.each<[string, number[]]>([
  ['nothing', []],
  ['a sequence of nothing', [0x30, 0]],
  ['lengths that point outside', [0x30, 6, 2, 200, 1, 2, 1, 1]],
  ['zeros', [0x30, 6, 2, 1, 0, 2, 1, 0]],
  ['a negative integer', [0x30, 6, 2, 1, 0x80, 2, 1, 1]],
  ['an integer longer than it need be', [0x30, 7, 2, 2, 0, 1, 2, 1, 1]],
  ['a length in two bytes', [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1]],
  ['an integer of no bytes', [0x30, 5, 2, 0, 2, 1, 1]],
  ['bytes behind the end', [0x30, 6, 2, 1, 1, 2, 1, 1, 0]],
  ['r above 32 bytes', [0x30, 38, 2, 33, ...new Array(33).fill(1), 2, 1, 1]],
  ['another tag', [0x31, 6, 2, 1, 1, 2, 1, 1]],
])('DER that holds %s is a wrong signature', async (_, der) => {
  const key = publicKeyOf(await generateKeyPair('secp256k1'))
  expect(await verifyPeerSignature(key, bytes, Uint8Array.from(der))).toBe(false)
})

test('the shortest DER of small numbers is read and written alike', () => {
  const der = Uint8Array.from([0x30, 7, 2, 2, 0, 0x80, 2, 1, 1])
  expect(compactOf(der)?.toString('hex')).toBe(`${'80'.padStart(64, '0')}${'1'.padStart(64, '0')}`)
})

test('a point off the curve is not a key', async () => {
  const theirs = await generateKeyPair('secp256k1')
  const [x0 = 0, ...rest] = theirs.publicKey.raw.subarray(1)
  let off = 0
  for (let change = 1; change <= 16; change += 1) {
    const point = Uint8Array.from([2, x0 ^ change, ...rest])
    const key = peerPublicKey(secp256k1Id(point), new Uint8Array(0))
    const signature = Uint8Array.from(await theirs.sign(bytes))
    if (key === null) off += 1
    else expect(await verifyPeerSignature(key, bytes, signature)).toBe(false)
  }
  // Of all x, half belong to a point.
  expect(off).toBeGreaterThan(0)
  for (const head of [0, 1, 4, 6]) {
    expect(peerPublicKey(secp256k1Id(Uint8Array.from([head, x0, ...rest])), new Uint8Array(0))).toBe(null)
  }
  expect(peerPublicKey(secp256k1Id(new Uint8Array(33)), new Uint8Array(0))).toBe(null)
  expect(peerPublicKey(secp256k1Id(new Uint8Array(33).fill(255)), new Uint8Array(0))).toBe(null)
})

test('an id with a second key, or of another kind or form, gives no key', async () => {
  const theirs = await generateKeyPair('secp256k1')
  const id = peerIdFromPrivateKey(theirs).toString()
  const multihash = Uint8Array.from(theirs.publicKey.toMultihash().bytes)
  const none = new Uint8Array(0)
  expect(peerPublicKey(id, none)).not.toBe(null)
  expect(peerPublicKey(id, publicKeyToProtobuf(theirs.publicKey))).toBe(null)
  const p256 = Uint8Array.from([...multihash.subarray(0, 3), 3, ...multihash.subarray(4)])
  for (const other of [
    p256,
    multihash.subarray(0, -1),
    Uint8Array.from([...multihash, 0]),
    Uint8Array.from([0, 0]),
    none,
  ]) {
    expect(peerPublicKey(idOf(other), none)).toBe(null)
  }
  expect(peerPublicKey('x'.repeat(65), none)).toBe(null)
})

test.each<[string, () => Uint8Array]>([
  ['of 1024 bits', () => rsaProtobuf({ modulusLength: 1024 })],
  ['with an exponent of 33 bits', () => protobuf(withExponentOf33Bits())],
  ['that is another kind of key', () => protobuf(generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey)],
  ['that is noise', () => Uint8Array.from([8, 0, 18, 0x82, 2, ...new Array(258).fill(7)])],
  ['that is cut short', () => rsaProtobuf({ modulusLength: 2048 }).subarray(0, -1)],
  ['that is nothing', () => new Uint8Array(0)],
])('an RSA key %s is none, also where the id is its hash', async (_, make) => {
  const key = make()
  const digest = await crypto.subtle.digest('SHA-256', Uint8Array.from(key))
  expect(peerPublicKey(idOf(Uint8Array.from([0x12, 0x20, ...new Uint8Array(digest)])), key)).toBe(null)
})

function rsaProtobuf(options: { modulusLength: number }): Uint8Array {
  return protobuf(generateKeyPairSync('rsa', options).publicKey)
}

function withExponentOf33Bits(): KeyObject {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  return createPublicKey({ key: { ...jwk, e: Buffer.from([1, 0, 0, 0, 1]).toString('base64url') }, format: 'jwk' })
}

function protobuf(key: KeyObject): Uint8Array {
  const spki = key.export({ format: 'der', type: 'spki' })
  return Uint8Array.from([8, 0, 18, (spki.byteLength & 0x7f) | 0x80, spki.byteLength >> 7, ...spki])
}
