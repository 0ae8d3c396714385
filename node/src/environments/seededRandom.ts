import { randomStream } from '#base/random.ts'

/** Draws for the curriculum: the same on every machine for the same seed. */
export type SeededRandom = {
  /** Uniform in (0, 1). */
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

/** @param seed - any string or number; the same seed gives the same draws. */
export function seededRandom(seed: string | number): SeededRandom {
  const stream = randomStream('curriculum', String(seed))
  const next = () => stream.uniform()
  const between = (low: number, high: number) => low + stream.integer(high - low + 1)
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
