import { z } from 'zod'
import { roundSchema, versionSchema } from '#core/bodyFields.ts'
import { decodeCanonical, encodeCanonical } from '#core/canonical.ts'
import type { SignedMessage } from './signedMessage.ts'

/**
 * "Which announcements of these rounds, and which addresses, do you have that I lack?"
 *
 * One framed request; then signed messages, one a frame, until the end of the stream. Frames are a 4-byte big-endian
 * length and canonical dag-cbor.
 */
export const SYNC_PROTOCOL = '/waggle/announcements/1.0.0'

/** Bytes of a message's id that name it in a request. */
const PREFIX_BYTES = 8
const MAX_HAVE = 8192
export const MAX_REQUEST_BYTES = MAX_HAVE * PREFIX_BYTES + 256
/** Messages in one answer. */
export const MAX_ANSWERS = 4096

const request = z.strictObject({
  v: versionSchema,
  from: roundSchema,
  to: roundSchema,
  /** Beginnings of the ids of what the asker has, one after another. */
  have: z
    .custom<Uint8Array>(value => value instanceof Uint8Array, 'expected bytes')
    .refine(bytes => bytes.byteLength % PREFIX_BYTES === 0, 'expected whole prefixes'),
})

export type SyncRequest = z.infer<typeof request>

export const encodeSyncRequest = (value: SyncRequest): Uint8Array => encodeCanonical(value)
/** @throws {CanonicalError} if the bytes are not a request. */
export const decodeSyncRequest = (bytes: Uint8Array): SyncRequest => decodeCanonical(bytes, request, MAX_REQUEST_BYTES)

const prefixOf = (message: SignedMessage): Uint8Array => message.id.subarray(0, PREFIX_BYTES)

export function packPrefixes(messages: readonly SignedMessage[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(messages.slice(0, MAX_HAVE).map(prefixOf)))
}

/** What is in `messages` and not in `have`. */
export function missingFrom(have: Uint8Array, messages: readonly SignedMessage[]): SignedMessage[] {
  const held = new Set<string>()
  for (let at = 0; at < have.byteLength; at += PREFIX_BYTES) {
    held.add(Buffer.from(have.subarray(at, at + PREFIX_BYTES)).toString('hex'))
  }
  return messages.filter(message => !held.has(Buffer.from(prefixOf(message)).toString('hex'))).slice(0, MAX_ANSWERS)
}
