import { expect, test } from 'vitest'
import { testResults } from './testResults.ts'

const tests = ['assert f(1) == 1', 'assert f(2) == 2', 'assert f(3) == 3']
const right = [true, true, true]
const unknown = [null, null, null]

test('an answer tells how many of its tests pass, and the outcome of the others', () => {
  const answers = [{ index: 8, verdicts: ['pass' as const, 'timeout' as const, null] }]
  expect(testResults({ tests, right, answers }, 8)).toEqual({
    ...{ passed: 1, ran: 2, wrong: [] },
    missed: [
      { test: 'assert f(2) == 2', outcome: 'runs out of time' },
      { test: 'assert f(3) == 3', outcome: 'not run' },
    ],
  })
})

test('an answer of which nothing was run has no result', () => {
  expect(testResults({ tests, right, answers: null }, 8)).toBeNull()
  expect(testResults({ tests, right, answers: [{ index: 8, verdicts: [null, null, null] }] }, 8)).toBeNull()
  expect(testResults({ tests, right, answers: [] }, 8)).toBeNull()
})

test('a wrong test does not count, whatever the answer does with it', () => {
  const answers = [{ index: 8, verdicts: ['fail' as const, 'pass' as const, 'pass' as const] }]
  const known = [false, false, true]
  expect(testResults({ tests, right: known, answers }, 8)).toEqual({
    ...{ passed: 1, ran: 1, missed: [] },
    wrong: ['assert f(1) == 1', 'assert f(2) == 2'],
  })
})

test('a test that nobody can check and every try fails is doubtful; one that any passes is not', () => {
  const answers = [
    { index: 8, verdicts: ['fail' as const, 'fail' as const, 'error' as const] },
    { index: 9, verdicts: ['fail' as const, 'pass' as const, 'error' as const] },
  ]
  const outcomesOf = (known: (boolean | null)[]) =>
    testResults({ tests, right: known, answers }, 8)?.missed.map(({ outcome }) => outcome)
  const plain = ['gives another value', 'gives another value', 'raises an error']
  expect(outcomesOf(unknown)).toEqual([expect.stringContaining('may be wrong'), ...plain.slice(1)])
  expect(outcomesOf(right)).toEqual(plain)
})

test('a test that would be read in another order shows why', () => {
  const answers = [{ index: 8, verdicts: ['fail' as const] }]
  expect(testResults({ tests: ['assert f(\u202e1) == 2'], right: [null], answers }, 8)?.missed[0]?.test).toBe(
    'assert f(\ufffd1) == 2',
  )
})
