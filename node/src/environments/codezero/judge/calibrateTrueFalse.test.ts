import { expect, test } from 'vitest'
import { mean } from '#base/mean.ts'
import { randomStream } from '#base/random.ts'
import { balancedAccuracy, calibrationError, confusionOf } from '../../judgeFigures.ts'
import type { evaluate } from '../curriculum/evaluate.ts'
import { isHeldOut } from '../curriculum/semanticKey.ts'
import { calibratedOdds, examineCalibrated, examineJudge, fitTrueFalse, weaknessOf } from './calibrateTrueFalse.ts'
import { labelledPairs } from './labelledPairs.ts'

test('Trivial code does not hide that a judge hardly tells near-misses from right code.', () => {
  const pairs = labelledPairs(400, 'examined')
  const isTrivial = (code: string) => /^def .*\n {4}return \w+\n$/.test(code)
  const found = Array.from({ length: 100 }, (_, seed) => {
    const noise = randomStream('odds', `${seed}`)
    const judged = pairs.map(({ code, isRight }) => {
      const centre = isTrivial(code) ? -6 : isRight ? 0.15 : -0.15
      return { odds: centre + noise.normal(), isRight, isOwn: false }
    })
    return examineJudge(judged).figures.balancedAccuracy
  })
  // A quarter of the wrong code is trivial, and of the rest 0.56 is told: 0.62.
  expect(mean(found)).toBeLessThan(0.645)
  expect(mean(found)).toBeGreaterThan(0.57)
})

test('A calibration finds where right and wrong part, and stays finite where nothing does, or everything.', () => {
  const odds = Array.from({ length: 400 }, (_, i) => Math.sin(i * 12.9898) * 3 + (i % 2 ? -2 : 0))
  const labels = odds.map((_, i) => i % 2 === 0)
  const fitted = fitTrueFalse(odds, labels)
  expect(-fitted.bias / fitted.slope).toBeCloseTo(-1, 0)
  const predicted = odds.map(x => calibratedOdds(x, fitted))
  expect(balancedAccuracy(predicted, labels)).toBeGreaterThan(0.6)
  for (const same of [labels, labels.map(() => true)]) {
    const { bias, slope } = fitTrueFalse(
      odds.map((_, i) => (same[i] ? 5 : -5)),
      same,
    )
    expect(Number.isFinite(bias) && Number.isFinite(slope)).toBe(true)
  }
  expect(balancedAccuracy([0.7, 0.7], [true, false])).toBe(0.5)
  const counts = { truePositives: 1, falsePositives: 1, falseNegatives: 1, trueNegatives: 1 }
  expect(confusionOf([0.5, 0.9, 0.4, 0.1], [true, false, true, false])).toEqual(counts)
  expect(calibrationError([0.25, 0.25, 0.75, 1], [false, true, true, true])).toBeCloseTo((0.5 + 0.25) / 4, 12)
})

test('A judge that says the opposite, or hardly anything, may not score.', () => {
  const noise = (i: number) => Math.sin(i * 12.9898) * 3
  const judged = (signal: number) =>
    Array.from({ length: 400 }, (_, i) => ({
      ...{ odds: noise(i) + (i % 2 ? -signal : signal), isRight: i % 2 === 0, isOwn: false },
    }))
  const verdict = (signal: number) => weaknessOf(examineJudge(judged(signal)))
  expect(verdict(2)).toBeNull()
  expect(verdict(0.1)).toMatch(/balanced accuracy is 0\.5/)
  expect(verdict(-2)).toMatch(/slope -/)
})

test("A judge has to tell the solver's own answers apart, by themselves, if enough are right and wrong to tell it from chance.", () => {
  const pairs = (count: number, isOwn: boolean, oddsOf: (isRight: boolean, at: number) => number, share = 0.5) =>
    Array.from({ length: count }, (_, at) => {
      const isRight = at < share * count
      return { odds: oddsOf(isRight, at), isRight, isOwn }
    })
  const near = pairs(128, false, isRight => (isRight ? 2 : -2))
  const guessed = (count: number, share?: number) => [
    ...near,
    ...pairs(count, true, (_, at) => (at % 2 ? 2 : -2), share),
  ]
  const examined = examineJudge(guessed(24))
  expect(examined.figures.balancedAccuracy).toBeGreaterThan(0.9)
  expect(examined.own).toEqual({ answers: 24, balancedAccuracy: 0.5 })
  expect(weaknessOf(examined)).toMatch(/on the solver's 24 answers alone is 0\.500, below 0\.65/)
  const told = [...near, ...pairs(24, true, isRight => (isRight ? 2 : -2))]
  expect(examineJudge(told).own).toEqual({ answers: 24, balancedAccuracy: 1 })
  for (const few of [guessed(22), guessed(60, 0), guessed(60, 1), guessed(60, 0.1)])
    expect([examineJudge(few).own.balancedAccuracy, weaknessOf(examineJudge(few))]).toEqual([null, null])
})

test('Pairs to calibrate with are half right and half wrong, and none is of a held-out function.', () => {
  const pairs = labelledPairs(40, 'test')
  expect(pairs.filter(({ isRight }) => isRight)).toHaveLength(20)
  for (const { problem } of pairs) {
    if (!('meaning' in problem)) throw new Error('the problem is of the curriculum')
    expect(isHeldOut(problem.meaning as Parameters<typeof evaluate>[0])).toBe(false)
  }
  expect(labelledPairs(40, 'test')).toEqual(pairs)
})

test('A calibrated judge is measured on all pairs, and on own answers once twelve of them are right and twelve wrong.', () => {
  const labelled = (count: number) => Array.from({ length: count }, (_, i) => ({ isRight: i % 2 === 0 }))
  const [near, own] = [labelled(80), labelled(24)]
  const certain = [...near, ...own].map(({ isRight }) => (isRight ? 0.9 : 0.1))
  const good = examineCalibrated(near, own, certain)
  expect(good.figures).toEqual({ balancedAccuracy: 1, ece: expect.closeTo(0.1) })
  expect(good.own).toEqual({ answers: 24, balancedAccuracy: 1 })
  expect(weaknessOf(good)).toBeNull()
  expect(examineCalibrated(near, own.slice(0, 23), certain.slice(0, 103)).own.balancedAccuracy).toBeNull()
  const wrongOfOwn = certain.map((p, i) => (i < near.length ? p : 1 - p))
  expect(weaknessOf(examineCalibrated(near, own, wrongOfOwn))).toContain("the solver's 24 answers alone is 0.000")
})
