import { expect, test } from 'vitest'
import { type ChoicePool, sizeBet } from './sizeBet.ts'

const pool = (stake: number, price = 1): ChoicePool => ({ stake, shares: stake / price, price })
const rule = { budget: 10, minBet: 0.01, fee: 0.02, expected: 0.1 }

test('the bet grows with the belief, stays within the budget, and is none where the pools say the same', () => {
  const pools = [pool(5), pool(5)]
  const stakes = [0.6, 0.8, 0.99].map(p => sizeBet([p, 1 - p], pools, rule))
  expect(stakes.map(bet => bet?.choice)).toEqual([0, 0, 0])
  const [low = 0, middle = 0, high = 0] = stakes.map(bet => bet?.stake)
  expect([low < middle, middle < high, high < rule.budget]).toEqual([true, true, true])
  expect(sizeBet([0.5, 0.5], pools, rule)).toBeNull()
  expect(sizeBet([0.99, 0.01], pools, { ...rule, budget: 0.005 })).toBeNull()
})

test('the bet is against a choice that others overbet, though it is likelier', () => {
  expect(sizeBet([0.6, 0.4], [pool(9), pool(1)], rule)?.choice).toBe(1)
})

test('a dear share buys less of the pot, and so less is staked', () => {
  const stake = (price: number) => sizeBet([0.8, 0.2], [{ ...pool(5), price }, pool(5)], rule)?.stake ?? 0
  expect(stake(3)).toBeLessThan(stake(1))
})

test('a fee of the Judge makes bets smaller, and the least advantage none', () => {
  const bet = (fee: number, p = 0.8) => sizeBet([p, 1 - p], [pool(5), pool(5)], { ...rule, fee })?.stake ?? 0
  expect(bet(0.05)).toBeLessThan(bet(0))
  expect([bet(0, 0.51) > 0, bet(0.05, 0.51)]).toEqual([true, 0])
})

test('somebody who knows something bets first', () => {
  expect(sizeBet([0.9, 0.05, 0.05], [pool(0), pool(0), pool(0)], rule)).toMatchObject({ choice: 0 })
})
