import { expect, test } from 'vitest'
import { wrongTests } from './wrongTests.ts'

const tests = ['assert f(1) == 1', 'assert f(2) == 2']

test('a wrong test that would be read in another order shows why', () => {
  expect(wrongTests({ tests: ['assert f(\u202e1) == 2', 'b'], right: [false, null] }).wrong).toEqual([
    'assert f(\ufffd1) == 2',
  ])
})

test('wrong tests are named, or said in a sentence where all are wrong', () => {
  expect(wrongTests({ tests, right: [null, true] })).toEqual({ wrong: [], all: null })
  expect(wrongTests({ tests, right: [false, null] })).toEqual({ wrong: [tests[0]], all: null })
  expect(wrongTests({ tests, right: [false, false] }).all).toMatch(/^Both tests of this proposer are wrong/)
  expect(wrongTests({ tests: [], right: [] })).toEqual({ wrong: [], all: null })
})
