import { attainableMemory } from '#engine/devices/freeMemory.ts'
import type { DecoderConfig } from './decoder/decoderConfig.ts'

/**
 * A message if this many bytes are unavailable; undefined if they are available.
 *
 * Call it before allocating: the system grants memory that it does not have, and kills the process that uses it.
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
 * Bytes that a decoder needs in addition to its weights to read a long sequence at once. Counts the two kinds of arrays that outgrow all others
 * then.
 *
 * @param tokens - T, tokens of the sequence.
 * @param rows - M, rows of logits in memory at once.
 */
export function longSequenceBytes({ heads, vocabSize }: DecoderConfig, tokens: number, rows = 0): number {
  const scores = SCORE_COPIES * heads * tokens ** 2
  return Float32Array.BYTES_PER_ELEMENT * (scores + LOGIT_COPIES * rows * vocabSize)
}
