import { expect, test } from 'vitest'
import { reportLines } from './reportLines.ts'

const solved = { round: 7, tasks: 24, rollouts: 192, taken: 3, meanReward: 0.375_21, updates: 1, averageAtK: 0.4 }

test('the rounds of a solver are a table of their main figures, with the reasons of what was refused', () => {
  const refused = { 'invalid sampling': 2 }
  const reports = [
    { ...solved, refused: {}, skippedPlaces: {}, failure: null },
    { ...solved, round: 8, meanReward: null, refused },
  ]
  expect(reportLines(reports)).toEqual([
    'round  tasks  rollouts  taken  reward  updates',
    '    7     24       192      3   0.375        1',
    '    8     24       192      3       –        1',
    '  refused (invalid sampling 2)',
  ])
})

test('other rounds are told in words, without what is none', () => {
  expect(reportLines([{ round: 7, level: 3, tasks: 24, refused: {}, dataset: null }])).toEqual([
    'round 7: level 3, tasks 24',
  ])
  expect(reportLines([])).toEqual([])
})
