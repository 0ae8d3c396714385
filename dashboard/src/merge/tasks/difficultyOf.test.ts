import { expect, test } from 'vitest'
import { difficultyOf } from './difficultyOf.ts'

test('the difficulty is that of the newest proposals', () => {
  expect(difficultyOf({ level: 3, environment: { levels: { lowest: 1, highest: 2 } } })).toBe(3)
})

test('an environment without proposers has the levels of its specification', () => {
  expect(difficultyOf({ level: null, environment: { levels: { lowest: 1, highest: 3 } } })).toBe('Levels 1 to 3 of 5')
  expect(difficultyOf({ level: null, environment: { levels: { lowest: 2, highest: 2 } } })).toBe(2)
})

test('a swarm whose proposers have proposed nothing has none', () => {
  for (const environment of [undefined, null, 'reasoning', { levels: 3 }, { levels: { lowest: 0, highest: 9 } }])
    expect(difficultyOf({ level: null, environment })).toBe('Not set yet')
})
