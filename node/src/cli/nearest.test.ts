import { expect, test } from 'vitest'
import { nearest } from '#core/nearest.ts'
import { unknownWord } from './nearest.ts'
import { verbs } from './verbs.ts'

const commands = Object.keys(verbs)

test.each([
  ['statsu', 'status'],
  ['stat', 'status'],
  ['STATUS', 'status'],
  ['leaderbord', 'leaderboard'],
  ['jion', 'join'],
  ['doc', 'doctor'],
  ['evla', 'eval'],
])('%s is taken for %s', (typed, meant) => expect(nearest(typed, commands)).toBe(meant))

test('a GPU is not taken for a CPU with a typing error', () =>
  expect(nearest('gpu', ['cpu', 'webgpu', 'cuda', 'auto'])).toBe('webgpu'))

test.each(['', 'x', 'frobnicate', 'constructor', '--prot'])('%j is near no command', typed =>
  expect(nearest(typed, commands)).toBeUndefined(),
)

test('the suggestion comes before the list', () => {
  expect(unknownWord('action', 'gmaes', ['games', 'bet'])).toMatchObject({
    message: "Unknown action 'gmaes'.",
    hint: "Did you mean 'games'? Use one of games, bet.",
  })
})
