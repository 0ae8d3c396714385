import { createHash } from 'node:crypto'
import type { ContentId } from './hashes.ts'
import { yieldToEventLoop } from './threads/yieldToEventLoop.ts'

/** Identifies bytes: their sha-256, as `0x` and 64 digits. On the chain it is a `bytes32`. */
export function contentId(bytes: Uint8Array): ContentId {
  return `0x${createHash('sha256').update(bytes).digest('hex')}` as const
}

/** Bytes hashed between two reads of the clock: 1 ms, 3 where the processor has no instructions for SHA-256. */
const STEP_BYTES = 1024 * 1024

/** The same for large inputs, yielding to the event loop: the largest payload is 16 MiB. */
export async function contentIdYielding(bytes: Uint8Array): Promise<ContentId> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.byteLength; at += STEP_BYTES) {
    await yieldToEventLoop()
    hash.update(bytes.subarray(at, at + STEP_BYTES))
  }
  return `0x${hash.digest('hex')}` as const
}
