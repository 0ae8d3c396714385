import { expect, test } from 'vitest'
import { chainSkewSec, secondsUntil } from './roundClock.ts'

test('a block seen late does not set the chain clock back', () => {
  expect(chainSkewSec(-0.4, -1.9)).toBe(-0.4)
  expect(chainSkewSec(-1.9, -0.4)).toBe(-0.4)
})

test('a clock that was set is followed', () => {
  expect(chainSkewSec(3600, 0)).toBe(0)
  expect(chainSkewSec(null, -7)).toBe(-7)
})

test('the countdown follows the chain clock and stops at nought', () => {
  expect(secondsUntil(1_000, 0, 988_000)).toBe(12)
  expect(secondsUntil(1_000, 5, 988_000)).toBe(7)
  expect(secondsUntil(1_000, 0, 1_200_000)).toBe(0)
})
