import { concatHex, keccak256, numberToHex } from 'viem'
import type { Hex } from '#core/hex.ts'

/**
 * Draws distinct indices by a partial Fisher–Yates shuffle over keccak-256 in counter mode.
 *
 * @param total - indices come from `[0, total)`.
 * @param count - how many; fewer come back when `total` is smaller.
 * @returns distinct indices in the order drawn; the same for everyone who knows the seed.
 */
export function drawIndices(total: number, count: number, seed: Hex): number[] {
  const pool = Array.from({ length: total }, (_, index) => index)
  const drawn: number[] = []
  for (let step = 0; step < count && pool.length > 0; step++) {
    // 256 random bits over a pool of at most 2^32: the bias of the remainder is below 2^-224.
    const value = BigInt(keccak256(concatHex([seed, numberToHex(step, { size: 4 })])))
    const at = Number(value % BigInt(pool.length))
    drawn.push(pool[at] as number)
    pool[at] = pool[pool.length - 1] as number
    pool.pop()
  }
  return drawn
}
