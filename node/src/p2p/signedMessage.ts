import type { Message } from '@chainsafe/libp2p-gossipsub'
import { RPC } from '@chainsafe/libp2p-gossipsub/message'
import { publicKeyFromProtobuf, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { PublicKey } from '@libp2p/interface'
import { peerIdFromPublicKey, peerIdFromString } from '@libp2p/peer-id'
import { z } from 'zod'
import { decodeCanonical, encodeCanonical } from '#core/canonical.ts'
import { HARD_MAX_BYTES } from './announcement.ts'

const bytes = z.custom<Uint8Array>(value => value instanceof Uint8Array, 'expected bytes')

const schema = z.strictObject({
  from: z.string().max(64),
  sequence: bytes.refine(sequence => sequence.byteLength === 8, 'expected 8 bytes'),
  topic: z.string().max(256),
  data: bytes,
  signature: bytes,
  /** libp2p's protobuf, only where the peer id does not hold the key: RSA. Else empty. */
  key: bytes,
})

/**
 * A gossip message as its author signed it, so that it can be handed on outside gossip and still be proven.
 * `from` is a base58 peer id; `sequence` is big-endian and grows with each message of the author.
 */
export type SignedMessage = z.infer<typeof schema>

/** The record around the data: peer id, RSA key and signature. */
export const MAX_SIGNED_BYTES = HARD_MAX_BYTES + 2048

const PREFIX = new TextEncoder().encode('libp2p-pubsub:')

export function fromGossip(message: Message): SignedMessage {
  if (message.type !== 'signed') throw new TypeError('an unsigned message passed strict signing')
  const sequence = Buffer.alloc(8)
  sequence.writeBigUInt64BE(message.sequenceNumber)
  return {
    from: message.from.toString(),
    sequence: Uint8Array.from(sequence),
    topic: message.topic,
    data: message.data,
    signature: message.signature,
    key: message.key.type === 'RSA' ? publicKeyToProtobuf(message.key) : new Uint8Array(0),
  }
}

export const encodeSigned = (message: SignedMessage): Uint8Array => encodeCanonical(message)
/** @throws {CanonicalError} if the bytes are not a signed message. */
export const decodeSigned = (bytes: Uint8Array): SignedMessage => decodeCanonical(bytes, schema, MAX_SIGNED_BYTES)

/** True if `from` signed exactly this, by gossipsub's rule. */
export async function isSignedByAuthor(message: SignedMessage): Promise<boolean> {
  try {
    const author = peerIdFromString(message.from)
    const key = publicKeyOf(message)
    if (key === null || !peerIdFromPublicKey(key).equals(author)) return false
    const signed = RPC.Message.encode({
      from: author.toMultihash().bytes,
      data: message.data,
      seqno: message.sequence,
      topic: message.topic,
    })
    return await key.verify(Buffer.concat([PREFIX, signed]), message.signature)
  } catch {
    // Keys, ids and signatures that cannot be parsed throw, each library in its own way.
    return false
  }
}

function publicKeyOf(message: SignedMessage): PublicKey | null {
  if (message.key.byteLength > 0) return publicKeyFromProtobuf(message.key)
  return peerIdFromString(message.from).publicKey ?? null
}
