import { expect, test } from 'vitest'
import { meanWithInterval, passAtK } from './passAtK.ts'

test('pass@k is the share of all choices of k answers that hold one that passes', () => {
  const outcomes = [true, false, false, true, false, false]
  for (const k of [1, 2, 3, 5, 6]) {
    let [holding, all] = [0, 0]
    for (let choice = 0; choice < 1 << outcomes.length; choice++) {
      const chosen = outcomes.filter((_, at) => choice & (1 << at))
      if (chosen.length !== k) continue
      all += 1
      if (chosen.includes(true)) holding += 1
    }
    expect(passAtK(6, 2, k)).toBeCloseTo(holding / all, 12)
  }
  expect(passAtK(4, 0, 2)).toBe(0)
  expect(passAtK(4, 4, 1)).toBe(1)
  expect(() => passAtK(4, 2, 5)).toThrow(RangeError)
})

test("an interval is Wilson's with one sample a task, and narrows with more samples only as far as tasks agree", () => {
  // R: binom.confint(8, 100, method = 'wilson')
  const single = meanWithInterval([...Array(8).fill(1), ...Array(92).fill(0)], 1)
  expect(single.value).toBeCloseTo(0.08, 12)
  expect(single.low).toBeCloseTo(0.0411, 3)
  expect(single.high).toBeCloseTo(0.15, 3)
  expect(meanWithInterval(Array(164).fill(0), 1)).toMatchObject({ value: 0, low: 0, high: expect.closeTo(0.0229, 3) })
  const width = ({ low, high }: { low: number; high: number }) => high - low
  const clustered = meanWithInterval([...Array(50).fill(1), ...Array(50).fill(0)], 8)
  const spread = meanWithInterval(
    Array.from({ length: 100 }, (_, at) => (at % 2 ? 0.625 : 0.375)),
    8,
  )
  expect(width(clustered)).toBeGreaterThan(0.19)
  expect(width(spread)).toBeLessThan(0.08)
})
