import type { z } from 'zod'
import { CanonicalError, decodeCanonical, encodeCanonical, MAX_ITEMS } from '../canonical.ts'
import { hasFewItems } from '../cborItems.ts'

/** Encoder and decoder of a kind of payload. Both validate everything. */
type PayloadCodec<T> = {
  /** @throws {CanonicalError} if the schema refuses the value, or it is too large. */
  encode(value: T): Uint8Array
  /** @throws {CanonicalError} on any bytes that {@link encode} would not have produced. */
  decode(bytes: Uint8Array): T
  maxBytes: number
}

/** @param maxItems - the most values and keys of a payload that the schema takes. */
export function payloadCodec<T extends z.ZodType>(
  schema: T,
  maxBytes: number,
  maxItems = MAX_ITEMS,
): PayloadCodec<z.output<T>> {
  return {
    maxBytes,
    decode: bytes => decodeCanonical(bytes, schema, maxBytes, maxItems),
    encode(value) {
      const hint = 'This is a defect of this node; please report it.'
      const parsed = schema.safeParse(value)
      if (!parsed.success) {
        const issue = parsed.error.issues[0]
        throw new CanonicalError(`Field '${issue?.path.join('.') ?? ''}': ${issue?.message ?? 'invalid'}.`, { hint })
      }
      const bytes = encodeCanonical(parsed.data)
      if (bytes.byteLength > maxBytes)
        throw new CanonicalError(`A payload of ${bytes.byteLength} bytes where at most ${maxBytes} are allowed.`, {
          hint,
        })
      if (!hasFewItems(bytes, maxItems))
        throw new CanonicalError(`A payload of more than ${maxItems} values and keys.`, { hint })
      return bytes
    },
  }
}
