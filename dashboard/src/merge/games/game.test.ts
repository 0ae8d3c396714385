import { expect, test } from 'vitest'
import { formatTokens } from '../formatTokens.ts'
import { choiceRows } from './choiceRows.ts'
import { gameHistory, pricedBets, priceLines } from './gameHistory.ts'
import { gameTitle } from './gameTitle.ts'

const TOKEN = 10n ** 18n

test('a game is titled by what its judge wrote, if that is the agreed JSON', () => {
  const title = gameTitle(3n, '{"question":"Which?","choices":["one","two"]}')
  expect([title.question, title.nameOf(1), title.nameOf(2)]).toEqual(['Which?', 'two', 'Choice 2'])
  for (const text of ['', 'plain', '[]', '{"question":7}', `{"question":"${'x'.repeat(600)}","choices":[]}`])
    expect(gameTitle(3n, text).question, text).toBe('Game 3')
})

test('text of a judge neither reorders nor hides the text next to it, and no two choices look the same', () => {
  const details = {
    question: ' Which\u202e\n\n one\u009b? ',
    choices: ['yes\u2067', 'Choice 3', 'Yes', '', 'yes\u200b'],
  }
  const { question, nameOf } = gameTitle(3n, JSON.stringify({ ...details, choices: details.choices.filter(Boolean) }))
  expect(question).toBe('Which\ufffd one\ufffd?')
  expect([0, 1, 2, 3, 4].map(nameOf)).toEqual(['yes\ufffd (0)', 'Choice 3', 'Yes', 'yes\ufffd (3)', 'Choice 4'])
  expect(gameTitle(3n, '{"question":"Which?","choices":["Choice 1"]}').nameOf(1)).toBe('Choice 1 (1)')
  expect(gameTitle(3n, JSON.stringify(details)).question).toBe('Game 3')
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

const bet = (choice: number, stake: bigint, shares: bigint, atSec: number, round = 0) => {
  return { id: `${atSec}`, account: '0x', round, choice, stake, shares, atSec }
}

test('stakes of a game grow with its bets', () => {
  // Newest first; 10 of the first choice are of an older bet that is not among them.
  const placed = { items: [bet(1, 30n, 20n, 9), bet(0, 10n, 10n, 5)] }
  const choices = {
    items: [
      { choice: 0, stake: 20n },
      { choice: 1, stake: 30n },
    ],
  }
  expect(gameHistory({ choices, placed })).toEqual([
    { atSec: 5, shares: [1, 0] },
    { atSec: 9, shares: [0.4, 0.6] },
  ])
})

test('all bets of a round on a choice have the price of the newest, which others may raise until its clue', () => {
  const items = [bet(0, 5n, 1n, 12, 1), bet(1, 990n, 198n, 9, 1), bet(1, 30n, 20n, 8, 1), bet(1, 10n, 10n, 5)]
  const game = { status: 'open' as const, placed: { items }, clues: { items: [{ round: 0, clue: 'x' }] } }
  const priced = (changes: object = {}) =>
    pricedBets({ ...game, ...changes }).map(({ price, isProvisional }) => (isProvisional ? `${price} so far` : price))
  expect(priced()).toEqual(['5 so far', '5 so far', '5 so far', 1])
  expect(priced({ status: 'void' })).toEqual([5, 5, 5, 1])
  const choices = { items: [0, 1, 2].map(choice => ({ choice, stake: 0n })) }
  expect(priceLines({ ...game, choices })).toEqual([
    { choice: 0, points: [{ atSec: 12, price: 5 }] },
    {
      choice: 1,
      points: [
        { atSec: 5, price: 1 },
        { atSec: 8, price: 5 },
        { atSec: 9, price: 5 },
      ],
    },
  ])
})

test('the price of a round is not that of dust, whose shares were rounded down, where there is another bet', () => {
  const game = { status: 'open' as const, clues: { items: [] } }
  const prices = (...items: ReturnType<typeof bet>[]) =>
    pricedBets({ ...game, placed: { items } }).map(one => one.price)
  expect(prices(bet(0, 3n, 1n, 9), bet(0, 40_000n, 20_000n, 8), bet(0, 20_000n, 20_000n, 7))).toEqual([2, 2, 2])
  expect(prices(bet(0, 3n, 1n, 9), bet(0, 20n, 10n, 8))).toEqual([3, 3])
})
