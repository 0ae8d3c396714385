import { expect, test } from 'vitest'
import { choiceRows } from './choiceRows.ts'
import { formatPrice, formatTokens } from './formatTokens.ts'
import { gameTitle } from './gameTitle.ts'

const TOKEN = 10n ** 18n

test('a game is titled by what its judge wrote, if that is the agreed JSON', () => {
  const title = gameTitle(3n, '{"question":"Which?","choices":["one","two"]}')
  expect([title.question, title.nameOf(1), title.nameOf(2)]).toEqual(['Which?', 'two', 'Choice 2'])
  for (const text of ['', 'plain', '[]', '{"question":7}', `{"question":"${'x'.repeat(600)}","choices":[]}`])
    expect(gameTitle(3n, text).question, text).toBe('Game 3')
})

test('tokens and prices are short, and little is not nothing', () => {
  expect([0n, 1n, TOKEN / 4n, 12_345n * TOKEN].map(formatTokens)).toEqual(['0', '< 0.01', '0.25', '12,345'])
  expect(formatPrice((TOKEN * 3n) / 2n)).toBe('1.50')
})

test('a choice has the newest price, and its part of the stakes', () => {
  const row = (choice: number, stake: bigint) => ({ choice, stake, shares: 0n })
  const prices = [
    { round: 1, choice: 0, price: 2n },
    { round: 1, choice: 1, price: 3n },
    { round: 0, choice: 0, price: 1n },
  ]
  const rows = choiceRows({ totalStake: 4n, choices: { items: [row(0, 1n), row(1, 3n)] }, prices: { items: prices } })
  expect(rows.map(({ share, price }) => [share, price])).toEqual([
    [0.25, 2n],
    [0.75, 3n],
  ])
  const empty = choiceRows({ totalStake: 0n, choices: { items: [row(0, 0n)] }, prices: { items: [] } })
  expect(empty).toEqual([{ choice: 0, stake: 0n, share: 0, price: null }])
})
