import type { LossTarget } from './policyBatch.ts'

/**
 * A part of one scored token has it a second time, without weight: a product with a single row is computed in another way, in which
 * passes would differ in the last bits.
 */
export function twoRows(part: readonly LossTarget[]): readonly LossTarget[] {
  const [only, ...others] = part.filter(({ scored }) => scored.length > 0)
  if (!only || others.length > 0 || only.scored.length > 1) return part
  const [row = 0] = only.scored
  const perToken = Object.fromEntries(
    Object.entries(only.perToken).map(([name, [x = 0]]) => [name, Float32Array.of(x, name === 'weights' ? 0 : x)]),
  )
  return part.map(target => (target === only ? { ...only, scored: Int32Array.of(row, row), perToken } : target))
}
