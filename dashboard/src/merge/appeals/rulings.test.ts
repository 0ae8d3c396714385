import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { rulings } from './rulings.ts'

const jury = (drawn: number, ...opened: [votes: number, scoreMilli: number][]) => ({
  drawn,
  openedMilli: opened.flatMap(([votes, scoreMilli]) => Array<number>(votes).fill(scoreMilli)),
})
const standing = (settledMilli: number, appeals: ReturnType<typeof jury>[], isTaken = true) =>
  rulings(settledMilli, appeals, isTaken).map(({ isReached, standingMilli }) => (isReached ? standingMilli : 'none'))

test('a majority of all seats on one side replaces a score, and silent seats count for it', () => {
  expect(standing(1_000, [jury(11, [6, 0])])).toEqual([0])
  expect(standing(1_000, [jury(11, [5, 0], [1, 1_000])])).toEqual(['none'])
  expect(standing(1_000, [jury(11, [5, 0])])).toEqual(['none'])
  expect(standing(1_000, [jury(11, [6, 990])])).toEqual([1_000])
})

test('a second jury judges what the first made of the score', () => {
  const first = jury(11, [6, 0])
  expect(rulings(1_000, [first, jury(23, [12, 1_000])], true)).toEqual([
    { seats: 11, appealedMilli: 1_000, standingMilli: 0, isReached: true },
    { seats: 23, appealedMilli: 0, standingMilli: 1_000, isReached: true },
  ])
  expect(standing(1_000, [first, jury(23)])).toEqual([0, 'none'])
})

test('a jury that finds no bundle removes a score that no jury confirmed, where a seat of the committee found none either', () => {
  const gone = jury(11, [6, UNAVAILABLE])
  expect(standing(800, [gone])).toEqual([0])
  expect(standing(800, [gone], false)).toEqual(['none'])
  // It was appealed further, so it changed the score.
  expect(standing(800, [gone, jury(23, [12, 800])], false)).toEqual([0, 800])
  expect(standing(800, [jury(11, [6, 300]), jury(23, [12, UNAVAILABLE])])).toEqual([300, 'none'])
})
