import { expect, test } from 'vitest'
import { clipFraction } from './clipFraction.ts'

test('tokens that an update moved out of the clip range are counted', () => {
  const before = [Float32Array.of(-1, -2), Float32Array.of(-1, -1)]
  const moved = (factor: number, logprob: number) => logprob + Math.log(factor)
  const after = [Float32Array.of(moved(1.27, -1), moved(1.3, -2)), Float32Array.of(moved(0.81, -1), moved(0.7, -1))]
  expect(clipFraction(before, after, { clipLow: 0.2, clipHigh: 0.28 })).toBe(0.5)
  expect(clipFraction([], [], { clipLow: 0.2, clipHigh: 0.28 })).toBe(0)
})
