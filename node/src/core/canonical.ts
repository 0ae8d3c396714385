import * as dagCbor from '@ipld/dag-cbor'
import type { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import { hasFewItems } from './cborItems.ts'

/** Bytes are not canonically encoded. Their sender is at fault. */
export class CanonicalError extends NodeError {
  override readonly code = 'CANONICAL'
}

/** A value of four bytes on average, in the largest payload: that takes 300 MB while it is decoded. */
export const MAX_ITEMS = 4 * 1024 * 1024

/** Canonical dag-cbor: one value, one encoding. Map keys are sorted, numbers take their shortest form. */
export function encodeCanonical(value: unknown): Uint8Array {
  return dagCbor.encode(value)
}

/**
 * Decodes hostile bytes.
 *
 * The library's decoder accepts non-canonical input, so the result is encoded again and compared: otherwise two content ids could name
 * one value.
 *
 * @param maxBytes - checked before anything is parsed, as is `maxItems`, the most values and keys.
 * @throws {CanonicalError} too large, not dag-cbor, not canonical, or refused by the schema.
 */
export function decodeCanonical<T extends z.ZodType>(
  bytes: Uint8Array,
  schema: T,
  maxBytes: number,
  maxItems = MAX_ITEMS,
): z.output<T> {
  const hint = 'Ignore these bytes; their sender runs different or broken software.'
  if (bytes.byteLength > maxBytes)
    throw new CanonicalError(`${bytes.byteLength} bytes where at most ${maxBytes} are allowed.`, { hint })
  if (!hasFewItems(bytes, maxItems))
    throw new CanonicalError(`More than ${maxItems} values and keys, or too many in one map.`, { hint })
  let raw: unknown
  let again: Uint8Array
  try {
    raw = dagCbor.decode(bytes)
    again = dagCbor.encode(raw)
  } catch (cause) {
    throw new CanonicalError('Not dag-cbor.', { hint, cause })
  }
  if (Buffer.compare(again, bytes) !== 0) throw new CanonicalError('Not in canonical form.', { hint })
  const parsed = schema.safeParse(raw)
  if (parsed.success && !dropsKeys(bytes, parsed.data)) return parsed.data
  if (parsed.success) throw new CanonicalError(`A field is named '${DROPPED_KEY}'.`, { hint })
  const issue = parsed.error.issues[0]
  throw new CanonicalError(`Field '${issue?.path.join('.') ?? ''}': ${issue?.message ?? 'invalid'}.`, { hint })
}

/** zod drops a key of this name, even where no other key is allowed. */
const DROPPED_KEY = '__proto__'

function dropsKeys(bytes: Uint8Array, parsed: unknown): boolean {
  // Encoding a payload once more costs what decoding does; nearly none holds the name.
  const named = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(DROPPED_KEY)
  return named && Buffer.compare(dagCbor.encode(parsed), bytes) !== 0
}
