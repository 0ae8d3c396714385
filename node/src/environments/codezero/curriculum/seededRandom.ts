import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/** A stream of pseudo-random draws that is the same on every machine for the same seed. */
export type SeededRandom = {
  /** A number in [0, 1). */
  next(): number
  /** An integer in [low, high], both included. */
  between(low: number, high: number): number
  pick<T>(items: readonly T[]): T
  /** True with the given probability. */
  chance(probability: number): boolean
  /** One key of the table, drawn by its weight. */
  weighted<K extends string | number>(weights: readonly (readonly [K, number])[]): K
  /** A new array in random order (Fisher-Yates). */
  shuffled<T>(items: readonly T[]): T[]
}

/**
 * Small Fast Counting generator (sfc32), seeded by the SHA-256 of a string.
 *
 * @param seed - any string or integer; the same seed gives the same stream.
 * @see Doty-Humphrey, PractRand, sfc32.
 */
export function seededRandom(seed: string | number): SeededRandom {
  const next = sfc32(sha256(utf8ToBytes(String(seed))))
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  const pick = <T>(items: readonly T[]): T => items[between(0, items.length - 1)] as T
  return {
    next,
    between,
    pick,
    chance: probability => next() < probability,
    weighted: weights => {
      let left = next() * weights.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [key, weight] of weights) {
        left -= weight
        if (left < 0) return key
      }
      return (weights.at(-1) as (typeof weights)[number])[0]
    },
    shuffled: items => {
      const order = [...items]
      for (let i = order.length - 1; i > 0; i--) {
        const j = between(0, i)
        const held = order[i] as (typeof order)[number]
        order[i] = order[j] as (typeof order)[number]
        order[j] = held
      }
      return order
    },
  }
}

function sfc32(digest: Uint8Array): () => number {
  const view = new DataView(digest.buffer, digest.byteOffset)
  let [a, b, c, counter] = [view.getInt32(0), view.getInt32(4), view.getInt32(8), view.getInt32(12)]
  return () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 4294967296
  }
}
