import { expect, test } from 'vitest'
import { NO_SCORES, shareOf, sumBefore, weightOf, withScore } from '../rules/weights.ts'

test('a score weighs at most five quarters of the mean of the last eight, and a newcomer has no history', () => {
  let lanes = NO_SCORES
  const weights = Array.from({ length: 9 }, (_, at) => {
    const weight = weightOf(800, sumBefore(lanes, at + 1))
    lanes = withScore(lanes, at + 1, 800)
    return weight / (32 * 800)
  })
  expect(weights).toEqual([5 / 32, 10 / 32, 15 / 32, 20 / 32, 25 / 32, 30 / 32, 1, 1, 1])
})

test('rounds without a score count 0, and those of seven rounds before are the last that count', () => {
  const lanes = withScore(withScore(NO_SCORES, 3, 600), 6, 100)
  expect([6, 7, 10, 11, 13, 14].map(number => sumBefore(lanes, number))).toEqual([600, 700, 700, 100, 100, 0])
})

test('an older round gets another score, unless it has left the window', () => {
  const lanes = withScore(withScore(NO_SCORES, 3, 600), 6, 100)
  expect(sumBefore(withScore(lanes, 3, 0), 7)).toBe(100)
  expect(sumBefore(withScore(lanes, 5, 50), 7)).toBe(750)
  const later = withScore(lanes, 20, 1)
  expect(withScore(later, 12, 900)).toEqual(later)
  expect(sumBefore(withScore(later, 13, 900), 20)).toBe(900)
})

test('a score earns its part of what its round weighs, of what appeals could add, or of the mean of rounds before', () => {
  const round = { weight: 400, reservedWeight: 100, meanWeight: 0 }
  expect(shareOf(200, round)).toBe(400n * 10n ** 18n)
  expect(shareOf(200, { ...round, meanWeight: 1_000 })).toBe(200n * 10n ** 18n)
})
