import { expect, test } from 'vitest'
import { choiceRows } from './choiceRows.ts'
import { formatTokens } from './formatTokens.ts'
import { gameTitle } from './gameTitle.ts'

const TOKEN = 10n ** 18n

test('a game is titled by what its judge wrote, if that is the agreed JSON', () => {
  const title = gameTitle(3n, '{"question":"Which?","choices":["one","two"]}')
  expect([title.question, title.nameOf(1), title.nameOf(2)]).toEqual(['Which?', 'two', 'Choice 2'])
  for (const text of ['', 'plain', '[]', '{"question":7}', `{"question":"${'x'.repeat(600)}","choices":[]}`])
    expect(gameTitle(3n, text).question, text).toBe('Game 3')
})

test('tokens are short, and little is not nothing', () => {
  expect([0n, 1n, TOKEN / 4n, 12_345n * TOKEN].map(formatTokens)).toEqual(['0', '< 0.01', '0.25', '12,345'])
})

test('a choice has its part of the stakes', () => {
  const items = [1n, 3n].map((stake, choice) => ({ choice, stake }))
  expect(choiceRows({ totalStake: 4n, choices: { items } }).map(({ share }) => share)).toEqual([0.25, 0.75])
  const empty = choiceRows({ totalStake: 0n, choices: { items: [{ choice: 0, stake: 0n }] } })
  expect(empty).toEqual([{ choice: 0, stake: 0n, share: 0 }])
})
