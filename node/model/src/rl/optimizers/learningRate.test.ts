import { expect, test } from 'vitest'
import { learningRateAt } from './learningRate.ts'

const rates = (kind: 'constant' | 'linear' | 'cosine') =>
  [0, 1, 2, 4, 6, 10, 12].map(step => learningRateAt(step, { kind, peak: 2, warmupSteps: 2, totalSteps: 10 }))

test('the rate rises to the peak in a straight line, and then stays or falls to zero at the end of the run', () => {
  expect(rates('constant')).toEqual([0, 1, 2, 2, 2, 2, 2])
  expect(rates('linear')).toEqual([0, 1, 2, 1.5, 1, 0, 0])
  const half = (progress: number) => 1 + Math.cos(Math.PI * progress)
  expect(rates('cosine')).toEqual([0, 1, 2, half(0.25), half(0.5), 0, 0])
})

test('without warm-up the first step has the peak rate', () => {
  expect(learningRateAt(0, { kind: 'cosine', peak: 3, totalSteps: 10 })).toBe(3)
})
