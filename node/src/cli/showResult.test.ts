import { expect, test } from 'vitest'
import { inWords } from './showResult.ts'

test('Figures of a round are a line of words.', () => {
  const report = { tasks: 24, meanReward: 0.375_21, averageAtK: 1, refused: {}, counts: { ownGroups: 2 }, level: null }
  expect(inWords(report)).toBe(
    'tasks 24, mean reward 0.375, average at k 1, refused none, counts (own groups 2), level null',
  )
})
