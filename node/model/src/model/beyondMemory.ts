import { attainableMemory } from '#engine/devices/freeMemory.ts'
import type { DecoderConfig } from './decoder/decoderConfig.ts'

/**
 * Says that so many bytes are unavailable; undefined if they are available.
 *
 * Asked before any of them are taken: the system grants memory that it does not have, and kills who uses it.
 */
export function beyondMemory(bytes: number): string | undefined {
  const most = attainableMemory()
  const gigabytes = (count: number) => `${(count / 1e9).toFixed(1)} GB`
  return bytes > most ? `take ${gigabytes(bytes)} where ${gigabytes(most)} are available` : undefined
}

/** Arrays of attention's scores [heads, T, T] that a layer holds at once; 2.8 to 3.4 were measured. */
const SCORE_COPIES = 3.5

/** Arrays of logits [M, V] that a softmax over them holds at once; 1.1 (float32, int4) and 1.7 (int8) were measured. */
const LOGIT_COPIES = 2

/**
 * Bytes that a decoder takes besides its weights to read a sequence all at once, where it is so long that two kinds of arrays outgrow
 * all others.
 *
 * @param tokens - that are read: T.
 * @param rows - of logits that are held together: M.
 */
export function longSequenceBytes({ heads, vocabSize }: DecoderConfig, tokens: number, rows = 0): number {
  const scores = SCORE_COPIES * heads * tokens ** 2
  return Float32Array.BYTES_PER_ELEMENT * (scores + LOGIT_COPIES * rows * vocabSize)
}
