import { z } from 'zod'
import { decodeCanonical, encodeCanonical } from '#core/canonical.ts'
import { HARD_MAX_BYTES } from './announcement.ts'
import { messageIdOf } from './messageId.ts'

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

export type SignedFields = z.infer<typeof schema>

/**
 * A message as its author signed it: carried by gossip, and forwarded outside gossip with the same proof.
 * `from` is a base58 peer id; `sequence` is big-endian and grows with each message of the author.
 */
export type SignedMessage = Readonly<SignedFields> & {
  /** The fields, encoded: as they came. */
  readonly bytes: Uint8Array
  /** 20 bytes; see {@link messageIdOf}. */
  readonly id: Uint8Array
}

/** The record around the data: peer id, RSA key and signature. */
export const MAX_SIGNED_BYTES = HARD_MAX_BYTES + 2048

/** Keeps these signatures apart from all others that a peer makes with its key. */
const PREFIX = Buffer.from('waggle-message:')

export function encodeSigned(fields: SignedFields): SignedMessage {
  return withBytes(fields, Uint8Array.from(encodeCanonical(fields)))
}

/** @throws {CanonicalError} if the bytes are not a signed message. */
export function decodeSigned(bytes: Uint8Array): SignedMessage {
  // A copy: bytes from the network may be part of a much larger buffer.
  const own = Uint8Array.from(bytes)
  return withBytes(decodeCanonical(own, schema, MAX_SIGNED_BYTES), own)
}

/** The signed bytes. */
export function signedBytesOf({ from, sequence, topic, data }: Omit<SignedFields, 'signature' | 'key'>): Uint8Array {
  return Buffer.concat([PREFIX, encodeCanonical({ from, sequence, topic, data })])
}

function withBytes(fields: SignedFields, bytes: Uint8Array): SignedMessage {
  return { ...fields, bytes, id: messageIdOf(fields.topic, bytes) }
}

/**
 * Honest clocks differ by less than this: a message from further ahead was signed by a wrong one. Such addresses would count as their peer's newest
 * until that time.
 */
export const MAX_AHEAD_MS = 10 * 60_000

/** When a message was signed, by its author's clock: sequence numbers are nanoseconds since 1970. */
export const signedAtMs = ({ sequence }: SignedMessage): number =>
  Number(Buffer.from(sequence).readBigUInt64BE() / 1_000_000n)
