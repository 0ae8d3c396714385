import { z } from 'zod'
import { decodeCanonical, encodeCanonical } from '#core/canonical.ts'
import { type ContentId, hash32 } from '#core/hashes.ts'
import { MAX_PAYLOAD_BYTES } from '#core/payloads/payloadSizes.ts'

/**
 * Payloads by content id.
 *
 * Requester: one framed request. Holder: one framed header, then, if its status is `ok`, exactly `size` bytes of payload
 * without frames, and the end of the stream. Frames are a 4-byte big-endian length and canonical dag-cbor.
 */
export const FETCH_PROTOCOL = '/waggle/fetch/1.0.0'

/** Payloads go out in pieces of this size, so that many streams share a connection fairly. */
export const CHUNK_BYTES = 64 << 10

/** A request or a header; both are far smaller. */
export const MAX_FRAME_BYTES = 256

const request = z.strictObject({
  v: z.literal(1),
  contentId: hash32<ContentId>(),
  maxBytes: z.int().min(0).max(MAX_PAYLOAD_BYTES),
})
const header = z.strictObject({
  v: z.literal(1),
  status: z.enum(['ok', 'not-found', 'busy', 'too-large']),
  /** A claim: the requester refuses sizes above its `maxBytes`. */
  size: z.int().min(0).max(0xffff_ffff),
})

type FetchRequest = z.infer<typeof request>
export type FetchHeader = z.infer<typeof header>

export const encodeRequest = (value: FetchRequest): Uint8Array => encodeCanonical(value)
export const encodeHeader = (value: FetchHeader): Uint8Array => encodeCanonical(value)
/** @throws {CanonicalError} if the bytes are not a request. */
export const decodeRequest = (bytes: Uint8Array): FetchRequest => decodeCanonical(bytes, request, MAX_FRAME_BYTES)
/** @throws {CanonicalError} if the bytes are not a header. */
export const decodeHeader = (bytes: Uint8Array): FetchHeader => decodeCanonical(bytes, header, MAX_FRAME_BYTES)
