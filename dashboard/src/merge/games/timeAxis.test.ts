import { expect, test } from 'vitest'
import { timeAxis } from './timeAxis.ts'

const ends = (seconds: number) => {
  const { domain, format } = timeAxis(1_000, 1_000 + seconds)
  return format(domain[1])
}

test('an axis is in the largest unit of which it spans two', () => {
  expect([0, 1, 90, 120, 600, 7_200, 172_800].map(ends)).toEqual([
    '0 s',
    '1 s',
    '90 s',
    '2 min',
    '10 min',
    '2 h',
    '2 d',
  ])
})
