import { expect, test } from 'vitest'
import { difficultySchema, initialDifficulty, observeSolvedShare } from './difficulty.ts'
import { seededRandom } from './seededRandom.ts'

test('The level rises and falls by absolute success, at 100 and 0 percent too.', () => {
  const rule = difficultySchema.parse({})
  const after = (shares: number[]) =>
    shares.reduce((state, share) => observeSolvedShare(state, share, rule), initialDifficulty(rule)).level
  expect(initialDifficulty(rule).level).toBe(2)
  expect(after(Array(5).fill(1))).toBe(3)
  expect(after(Array(5).fill(0))).toBe(1)
  expect(after(Array(4).fill(1))).toBe(2)
  expect(after(Array(100).fill(1))).toBe(5)
  expect(after(Array(100).fill(0.5))).toBe(2)
})

test('Inside the band the level follows the trend.', () => {
  const rule = difficultySchema.parse({})
  const levels = (from: number, to: number) =>
    [...Array(10).fill(from), ...Array(10).fill(to)].reduce(
      (state, share) => observeSolvedShare(state, share, rule),
      initialDifficulty(rule),
    ).level
  expect(levels(0.4, 0.5)).toBe(3)
  expect(levels(0.5, 0.4)).toBe(1)
  expect(levels(0.5, 0.52)).toBe(2)
})

test('A solver that stays as it is stays on its level, whatever the noise of its rounds.', () => {
  const rule = difficultySchema.parse({})
  const random = seededRandom('noise')
  let state = initialDifficulty(rule)
  const levels = Array.from({ length: 200 }, () => {
    const solved = Array.from({ length: 64 }, () => random.chance(0.5)).filter(Boolean).length
    state = observeSolvedShare(state, solved / 64, rule)
    return state.level
  })
  expect(new Set(levels)).toEqual(new Set([2]))
})
