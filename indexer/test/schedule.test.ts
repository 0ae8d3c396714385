import { expect, test } from 'vitest'
import { announce, inForce, NEVER_SEC, type Span, startOf, timesOf } from '../rules/schedule.ts'

const schedule = [
  { fromRound: 0, startsAtSec: 1_000, roundSeconds: 20 },
  { fromRound: 10, startsAtSec: 1_200, roundSeconds: 5 },
]

test('a round starts where its span says', () => {
  expect(startOf(schedule, 0)).toBe(1_000)
  expect(startOf(schedule, 9)).toBe(1_180)
  expect(startOf(schedule, 10)).toBe(1_200)
  expect(startOf(schedule, 12)).toBe(1_210)
})

test('a round is final when the third round after it has ended', () => {
  expect(timesOf(schedule, 5)).toEqual({ startsAtSec: 1_100, endsAtSec: 1_120, finalAtSec: 1_180 })
  expect(timesOf(schedule, 7).finalAtSec).toBe(1_205)
})

test('a round of a manual schedule has times once they have come', () => {
  const begun = (rounds: number) =>
    Array.from({ length: rounds }, (_, round) => ({
      fromRound: round,
      startsAtSec: 1_000 + round,
      roundSeconds: 0,
    })).reduce<Span[]>(announce, [])
  expect(timesOf(begun(1), 0)).toEqual({ startsAtSec: 1_000, endsAtSec: NEVER_SEC, finalAtSec: NEVER_SEC })
  expect(timesOf(begun(4), 0)).toMatchObject({ endsAtSec: 1_001, finalAtSec: NEVER_SEC })
  expect(timesOf(begun(5), 0).finalAtSec).toBe(1_004)
})

test('an announcement voids those made earlier for the same or later rounds', () => {
  const shorter = { fromRound: 8, startsAtSec: 1_160, roundSeconds: 3 }
  expect(announce(schedule, shorter)).toEqual([schedule[0], shorter])
})

test('no schedule is in force before the first span', () => {
  expect(() => inForce(schedule, -1)).toThrow('nothing was announced for round -1')
})
