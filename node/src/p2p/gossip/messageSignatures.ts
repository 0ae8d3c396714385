import { type SignKeyObjectInput, verify } from 'node:crypto'
import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import type { Clock } from '#core/clock.ts'
import { compactOf } from '../keys/ecdsaSignature.ts'
import type { PeerPrivateKey } from '../keys/peerPrivateKey.ts'
import { type PeerPublicKey, peerPublicKey } from '../keys/peerPublicKey.ts'
import { encodeSigned, MAX_AHEAD_MS, type SignedMessage, signedAtMs, signedBytesOf } from './signedMessage.ts'

export type SignMessage = (topic: string, data: Uint8Array) => Promise<SignedMessage>

export type MessageSigner = {
  sign: SignMessage
  /**
   * Whether another process signed a message with this key, by a sequence number that we never used. Messages from before this signer's
   * start are undecided: an earlier process may have signed them. So are those from ahead of our time: its clock may have been ahead.
   */
  isElsewhere(message: SignedMessage): boolean
}

/** Own sequence numbers that are stored: those of some days. */
const MAX_SEQUENCES = 8_192

/**
 * Signs the messages of one peer, each with a higher sequence number than the one before: nanoseconds since 1970, so that
 * they go on growing after a restart.
 */
export function createMessageSigner(key: PeerPrivateKey, clock: Clock): MessageSigner {
  const from = peerIdFromPrivateKey(key).toString()
  const rsaKey = key.type === 'RSA' ? publicKeyToProtobuf(key.publicKey) : new Uint8Array(0)
  const own = new Set<bigint>()
  const nowNs = () => BigInt(Math.floor(clock.nowMs())) * 1_000_000n
  let last = 0n
  // All own messages after this one are in the set.
  let knownAfter = nowNs()

  function nextSequence(): Uint8Array {
    const now = nowNs()
    last = now > last ? now : last + 1n
    own.add(last)
    const [oldest = last] = own
    if (own.size > MAX_SEQUENCES && own.delete(oldest)) knownAfter = oldest
    return bigEndian(last)
  }
  return {
    async sign(topic, data) {
      const unsigned = { from, sequence: nextSequence(), topic, data }
      const signature = Uint8Array.from(await key.sign(signedBytesOf(unsigned)))
      return encodeSigned({ ...unsigned, signature, key: rsaKey })
    },
    isElsewhere(message) {
      const sequence = Buffer.from(message.sequence).readBigUInt64BE()
      const isOfOurTime = sequence > knownAfter && signedAtMs(message) <= clock.nowMs() + MAX_AHEAD_MS
      return message.from === from && isOfOurTime && !own.has(sequence)
    },
  }
}

function bigEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value)
  return bytes
}

/** True if `from` signed exactly this. Never throws. */
export type VerifyMessage = (message: SignedMessage) => Promise<boolean>

/** Reading a key takes a tenth of a millisecond of the event loop; these many are kept, of authors that were proven. */
const MAX_KEYS = 1024

export function createMessageVerifier(): VerifyMessage {
  const known = new Map<string, { key: PeerPublicKey; rsaKey: Uint8Array }>()

  function keyOf(message: SignedMessage): PeerPublicKey | null {
    const held = known.get(message.from)
    // A peer id holds only the hash of an RSA key, so the key in the message must be the same each time.
    if (held !== undefined && Buffer.compare(held.rsaKey, message.key) === 0) return held.key
    return peerPublicKey(message.from, message.key)
  }
  /** As the newest; the oldest is dropped if there are too many. */
  function keep(message: SignedMessage, key: PeerPublicKey): void {
    known.delete(message.from)
    known.set(message.from, { key, rsaKey: message.key })
    const oldest = known.keys().next()
    if (known.size > MAX_KEYS && oldest.done === false) known.delete(oldest.value)
  }
  return async message => {
    const key = keyOf(message)
    if (key === null || !(await verifyPeerSignature(key, signedBytesOf(message), message.signature))) return false
    keep(message, key)
    return true
  }
}

/**
 * True if the peer signed these bytes, by the rules of libp2p. Computed on a thread of node's pool: libp2p's own check takes
 * 1.5 ms of the event loop.
 *
 * Never throws: an unreadable signature is invalid.
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
