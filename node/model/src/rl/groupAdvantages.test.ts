import { expect, test } from 'vitest'
import { groupAdvantages } from './groupAdvantages.ts'

const groups = (...rewards: number[][]) => rewards.map(group => Float32Array.from(group))

test('an advantage is the reward minus the mean of its group, and a group sums to zero', () => {
  const { advantages, kept } = groupAdvantages(groups([1, 0, 0, 1], [0.5, 0.5, 0.9]))
  expect(advantages[0]).toEqual(Float32Array.of(0.5, -0.5, -0.5, 0.5))
  for (const group of advantages) expect(Math.abs(group.reduce((a, b) => a + b))).toBeLessThan(3e-5)
  expect(kept).toEqual([true, true])
})

test('division by the deviation of the group uses its size - 1, as torch.std does', () => {
  // torch.tensor([0., 0., 1.]).std() = 0.5773503
  const { advantages } = groupAdvantages(groups([0, 0, 1]), { scaleRewards: 'group' })
  expect(advantages[0]?.[2]).toBeCloseTo(2 / 3 / (0.5773503 + 1e-4), 5)
})

test('division by the deviation of the batch is the same for all groups', () => {
  // torch.tensor([0., 0., 1., 0.25, 0.75]).std() = 0.4541476
  const { advantages } = groupAdvantages(groups([0, 0, 1], [0.25, 0.75]), { scaleRewards: 'batch' })
  expect(advantages[0]?.[2]).toBeCloseTo(2 / 3 / (0.4541476 + 1e-4), 5)
  expect(advantages[1]?.[1]).toBeCloseTo(0.25 / (0.4541476 + 1e-4), 5)
})

test('a group whose rewards hardly differ is dropped', () => {
  const { advantages, kept } = groupAdvantages(groups([0.5, 0.51], [0, 1]), { minDeviation: 0.05 })
  expect(kept).toEqual([false, true])
  expect(advantages.map(group => [...group])).toEqual([
    [0, 0],
    [-0.5, 0.5],
  ])
})

test('a group of one is refused', () => {
  expect(() => groupAdvantages(groups([0, 1], [1]))).toThrow('a group of 1 rewards')
})
