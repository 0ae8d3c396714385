import { expect, test } from 'vitest'
import { clipFraction, policyDrift } from './policyDrift.ts'

const tokens = (logprob: number, ...others: number[]) => [
  new Float32Array(1000).fill(logprob).map((x, i) => others[i] ?? x),
]

test('the drift is the mean of k3, and not finite where a log-probability is not', () => {
  expect(policyDrift(tokens(-1), tokens(-1.1))).toBeCloseTo(Math.exp(-0.1) + 0.1 - 1, 5)
  expect(policyDrift(tokens(-1), tokens(-1))).toBe(0)
  expect(policyDrift(tokens(-1), tokens(-1, Number.NaN))).toBeNaN()
  expect(policyDrift(tokens(-1), tokens(-1, Number.NEGATIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY)
})

test('one token of a thousand that moves far does not pass for a policy that did', () => {
  for (const moved of [-9, -0.01]) expect(policyDrift(tokens(-1, -5), tokens(-1, moved))).toBeLessThan(0.002)
  expect(policyDrift(tokens(-1), tokens(-3))).toBeGreaterThan(0.9)
})

test('tokens that an update moved out of the clip range are counted', () => {
  const before = [Float32Array.of(-1, -2), Float32Array.of(-1, -1)]
  const moved = (factor: number, logprob: number) => logprob + Math.log(factor)
  const after = [Float32Array.of(moved(1.27, -1), moved(1.3, -2)), Float32Array.of(moved(0.81, -1), moved(0.7, -1))]
  expect(clipFraction(before, after, { clipLow: 0.2, clipHigh: 0.28 })).toBe(0.5)
  expect(clipFraction([], [], { clipLow: 0.2, clipHigh: 0.28 })).toBe(0)
})
