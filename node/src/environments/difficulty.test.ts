import { expect, test } from 'vitest'
import { type DifficultyRule, difficultySchema, initialDifficulty, observeSolvedShare } from './difficulty.ts'
import { seededRandom } from './seededRandom.ts'

/** The state after shares of rounds that are final at once. */
const afterShares = (shares: readonly number[], rule: DifficultyRule) =>
  shares.reduce(
    (state, solvedShare, round) => observeSolvedShare(state, { round, solvedShare, next: round + 1 }, rule),
    initialDifficulty(rule),
  )

test('The level rises and falls by absolute success, at 100 and 0 percent too.', () => {
  const rule = difficultySchema.parse({})
  const after = (shares: number[]) => afterShares(shares, rule).level
  expect(initialDifficulty(rule).level).toBe(2)
  expect(after(Array(5).fill(1))).toBe(3)
  expect(after(Array(5).fill(0))).toBe(1)
  expect(after(Array(4).fill(1))).toBe(2)
  expect(after(Array(100).fill(1))).toBe(5)
  expect(after(Array(100).fill(0.5))).toBe(2)
})

test('Inside the band the level follows the trend.', () => {
  const rule = difficultySchema.parse({})
  const levels = (from: number, to: number) => afterShares([...Array(10).fill(from), ...Array(10).fill(to)], rule).level
  expect(levels(0.4, 0.5)).toBe(3)
  expect(levels(0.5, 0.4)).toBe(1)
  expect(levels(0.5, 0.52)).toBe(2)
})

test('A solver that stays as it is stays on its level, whatever the noise of its rounds.', () => {
  const rule = difficultySchema.parse({})
  const random = seededRandom('noise')
  let state = initialDifficulty(rule)
  const levels = Array.from({ length: 200 }, (_, round) => {
    const solved = Array.from({ length: 64 }, () => random.chance(0.5)).filter(Boolean).length
    state = observeSolvedShare(state, { round, solvedShare: solved / 64, next: round + 1 }, rule)
    return state.level
  })
  expect(new Set(levels)).toEqual(new Set([2]))
})

test('A level is left once for what its rounds say, though they become final rounds after the next level is proposed.', () => {
  const rule = difficultySchema.parse({})
  const solvedAt = [1, 0.98, 0.9, 0.5, 0.15, 0.03]
  const delay = 4
  let state = initialDifficulty(rule)
  const levels: number[] = Array(delay + 1).fill(state.level)
  for (let now = delay; now < 100; now++) {
    const round = now - delay
    const solvedShare = solvedAt[levels[round] as number] as number
    state = observeSolvedShare(state, { round, solvedShare, next: now + 1 }, rule)
    levels[now + 1] = state.level
  }
  expect(levels.join('')).toMatch(/^2{9}3+$/)
})
