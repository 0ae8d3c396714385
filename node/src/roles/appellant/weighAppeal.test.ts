import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { costOfAppeal, isClearlyOff, isWorthIt, nectarBack, nectarOfSeats } from './weighAppeal.ts'

const terms = { bondWei: 10n ** 16n, gasPriceWei: 10n ** 9n, nectarPrice: 0.001, stakesWei: new Map(), leastMilli: 0 }
const seatKey = (seat: number): Hex => `0x${`e${seat}`.repeat(32)}`

test('a score is clearly off beyond twice the tolerance: within it an honest jury might leave it', () => {
  expect([450, 500, 550].map(milli => isClearlyOff(milli, 500))).toEqual([false, false, false])
  expect([449, 551].map(milli => isClearlyOff(milli, 500))).toEqual([true, true])
})

test('the gain of an appeal is the change of the own share by one corrected own score, or by a rival’s lower score', () => {
  const own = { isOwn: true, settledMilli: 0, gainingMilli: 0, totalMilli: 2_400, votes: [] }
  expect(nectarBack(own, 800, terms)).toBeCloseTo(250)
  const rival = { isOwn: false, settledMilli: 1_000, gainingMilli: 500, totalMilli: 2_500, votes: [] }
  expect(nectarBack(rival, 0, terms)).toBeCloseTo(1_000 * (500 / 1_500 - 500 / 2_500))
  expect(nectarBack({ ...own, totalMilli: 0 }, 0, terms)).toBe(0)
})

test('if rivals lost points, correcting the own score restores its part of a usual round, and lowering a rival’s brings nothing', () => {
  const driven = { ...terms, leastMilli: 4_000 }
  const alone = { isOwn: true, settledMilli: 100, gainingMilli: 100, totalMilli: 100, votes: [] }
  expect(nectarBack(alone, 900, terms)).toBe(0)
  expect(nectarBack(alone, 900, driven)).toBeCloseTo(200)
  expect(isWorthIt(alone, 900, driven)).toBe(true)
  const rival = { isOwn: false, settledMilli: 1_000, gainingMilli: 500, totalMilli: 1_500, votes: [] }
  expect(isWorthIt(rival, 0, terms)).toBe(true)
  expect(isWorthIt(rival, 0, driven)).toBe(false)
})

test('an appeal has to bring more than half of its bond and its gas', () => {
  expect(costOfAppeal(terms)).toBeCloseTo(0.005211, 6)
  const own = { isOwn: true, settledMilli: 0, gainingMilli: 0, totalMilli: 2_400, votes: [] }
  expect(isWorthIt(own, 800, terms)).toBe(true)
  expect(isWorthIt(own, 800, { ...terms, nectarPrice: 0.00002 })).toBe(false)
  expect(isWorthIt({ ...own, totalMilli: 7_000_000 }, 800, terms)).toBe(false)
  expect(isWorthIt({ ...own, settledMilli: 900, gainingMilli: 900 }, 600, terms)).toBe(false)
})

test('in a large swarm, where no share gains enough, the stakes of overturned seats make an appeal worth it', () => {
  const votes = [1_000, 1_000, 1_000, 620, 580].map((vote, seat) => ({ seatKey: seatKey(seat), vote }))
  const rival = { isOwn: false, settledMilli: 1_000, gainingMilli: 500, totalMilli: 7_000_000, votes }
  const staked = (nectar: number) => ({
    ...terms,
    stakesWei: new Map(votes.map(one => [one.seatKey, parseEther(`${nectar}`)])),
  })
  expect([100, 50, 20, 0].map(nectar => nectarOfSeats(rival, 600, staked(nectar)))).toEqual([75, 75, 30, 0])
  expect(isWorthIt(rival, 600, terms)).toBe(false)
  expect(isWorthIt(rival, 600, staked(50))).toBe(true)
  // Two overturned votes have used up the stakes.
  expect(isWorthIt(rival, 600, staked(0))).toBe(false)
})
