import { expect, test } from 'vitest'
import { testResults } from './testResults.ts'

const tests = ['assert f(1) == 1', 'assert f(2) == 2', 'assert f(3) == 3']

test('an answer tells how many of its tests pass, and what became of the others', () => {
  const answers = [{ index: 8, verdicts: ['pass' as const, 'timeout' as const, null] }]
  expect(testResults({ tests, answers }, 8)).toEqual({
    ...{ passed: 1, ran: 2 },
    missed: [
      { test: 'assert f(2) == 2', outcome: 'runs out of time' },
      { test: 'assert f(3) == 3', outcome: 'not run' },
    ],
  })
})

test('an answer of which nothing was run has no result', () => {
  expect(testResults({ tests, answers: null }, 8)).toBeNull()
  expect(testResults({ tests, answers: [{ index: 8, verdicts: [null, null, null] }] }, 8)).toBeNull()
  expect(testResults({ tests, answers: [] }, 8)).toBeNull()
})
