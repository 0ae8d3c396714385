import { expect, test } from 'vitest'
import { timeLeft } from './timeLeft.ts'

test('time is told in the largest unit of which two are left', () => {
  expect([0, 119, 120, 2_493, 7_199, 7_200, 172_799, 172_800, 600_000].map(timeLeft)).toEqual([
    ...['0 s', '119 s', '2 minutes', '41 minutes', '119 minutes', '2 hours', '47 hours', '2 days', '6 days'],
  ])
})
