import { expect, test } from 'vitest'
import { stateOfScore } from './scoreState.ts'

test('a score is final with its round, unless something against it is open', () => {
  expect(stateOfScore('settling', false)).toBe('settled')
  expect(stateOfScore('final', false)).toBe('final')
  expect(stateOfScore('final', true)).toBe('contested')
  expect(stateOfScore('settling', true)).toBe('contested')
})
