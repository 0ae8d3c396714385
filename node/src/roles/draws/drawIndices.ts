import { concatHex, keccak256, numberToHex } from 'viem'
import type { Seed } from '#core/hashes.ts'

/**
 * Indices from `[0, total)` in random order, by a Fisher–Yates shuffle over keccak-256 in counter mode: the same for everyone who knows
 * the seed. Steps are computed lazily.
 */
export function* randomOrder(total: number, seed: Seed): Generator<number, void> {
  const pool = Array.from({ length: total }, (_, index) => index)
  for (let step = 0; pool.length > 0; step++) {
    // 256 random bits over a pool of at most 2^32: the bias of the remainder is below 2^-224.
    const value = BigInt(keccak256(concatHex([seed, numberToHex(step, { size: 4 })])))
    const at = Number(value % BigInt(pool.length))
    const drawn = pool[at] as number
    pool[at] = pool[pool.length - 1] as number
    pool.pop()
    yield drawn
  }
}

/** The first of a {@link randomOrder}. @param count - how many; fewer come back when `total` is smaller. */
export function drawIndices(total: number, count: number, seed: Seed): number[] {
  const drawn: number[] = []
  for (const index of count > 0 ? randomOrder(total, seed) : []) if (drawn.push(index) === count) break
  return drawn
}
