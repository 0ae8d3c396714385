import { expect, test } from 'vitest'
import { relativeTime, timeLeft } from './relativeTime.ts'

test('a time is shown in its largest unit, and never lies ahead', () => {
  const ago = (seconds: number) => relativeTime(1_000_000, 1_000_000 + seconds)
  expect([-30, 0, 59, 60, 3_599, 7_200, 86_400 * 3].map(ago)).toEqual([
    ...['now', 'now', '59 seconds ago', '1 minute ago', '59 minutes ago', '2 hours ago', '3 days ago'],
  ])
})

test('time is told in the largest unit of which two are left', () => {
  expect([0, 119, 120, 2_493, 7_199, 7_200, 172_799, 172_800, 600_000].map(timeLeft)).toEqual([
    ...['0 s', '119 s', '2 minutes', '41 minutes', '119 minutes', '2 hours', '47 hours', '2 days', '6 days'],
  ])
})
