import { expect, test } from 'vitest'
import { groupAdvantages } from './groupAdvantages.ts'

test('an advantage is the reward minus the mean of its group, and a row sums to zero', () => {
  const { advantages, kept } = groupAdvantages(Float32Array.of(1, 0, 0, 1, 0.5, 0.5, 0.5, 0.9), 4)
  expect([...advantages].map(a => Math.round(a * 1e4) / 1e4)).toEqual([0.5, -0.5, -0.5, 0.5, -0.1, -0.1, -0.1, 0.3])
  for (const row of [0, 4]) expect(Math.abs(advantages.slice(row, row + 4).reduce((a, b) => a + b))).toBeLessThan(4e-5)
  expect(kept).toEqual([true, true])
})

test('division by the deviation uses samples - 1, as torch.std does', () => {
  // torch.tensor([0., 0., 1.]).std() = 0.5773503
  const { advantages } = groupAdvantages(Float32Array.of(0, 0, 1), 3, { divideByDeviation: true })
  expect(advantages[2]).toBeCloseTo(2 / 3 / (0.5773503 + 1e-4), 5)
})

test('a group whose rewards hardly differ is dropped', () => {
  const rewards = Float32Array.of(0.5, 0.51, 0, 1)
  const { advantages, kept } = groupAdvantages(rewards, 2, { minDeviation: 0.05 })
  expect(kept).toEqual([false, true])
  expect([...advantages]).toEqual([0, 0, -0.5, 0.5])
})

test('rewards that are not whole groups are refused', () => {
  expect(() => groupAdvantages(new Float32Array(7), 4)).toThrow('7 rewards are not whole groups of 4')
  expect(() => groupAdvantages(new Float32Array(4), 1)).toThrow('whole groups')
})
