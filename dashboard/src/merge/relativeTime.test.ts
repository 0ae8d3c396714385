import { expect, test } from 'vitest'
import { relativeTime } from './relativeTime.ts'

test('a time is shown in its largest unit, and never lies ahead', () => {
  const ago = (seconds: number) => relativeTime(1_000_000, 1_000_000 + seconds)
  expect([-30, 0, 59, 60, 3_599, 7_200, 86_400 * 3].map(ago)).toEqual([
    ...['now', 'now', '59 seconds ago', '1 minute ago', '59 minutes ago', '2 hours ago', '3 days ago'],
  ])
})
