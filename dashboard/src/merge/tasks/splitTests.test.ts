import { expect, test } from 'vitest'
import { splitTests } from './splitTests.ts'

test('the tests of a task are its lines that assert', () => {
  expect(splitTests('Write f(n). Return n.\nassert f(1) == 1\nassert f(0) == 0')).toEqual({
    statement: 'Write f(n). Return n.',
    tests: ['assert f(1) == 1', 'assert f(0) == 0'],
  })
  expect(splitTests('I assert nothing.\nassertions: none')).toEqual({
    statement: 'I assert nothing.\nassertions: none',
    tests: [],
  })
})

test('a task neither reorders nor hides its text', () => {
  const { statement, tests } = splitTests('Return a \u202e- b.\nassert f(\u202e1) == 2')
  expect([statement, ...tests]).toEqual(['Return a \ufffd- b.', 'assert f(\ufffd1) == 2'])
})
