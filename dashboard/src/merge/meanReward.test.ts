import { expect, test } from 'vitest'
import { meanReward } from './meanReward.ts'

test('the mean reward is over peers that got a score, and null where nobody did', () => {
  expect(meanReward({ scored: 2, scoreMilliSum: 1500 })).toBe(0.75)
  expect(meanReward({ scored: 1, scoreMilliSum: 0 })).toBe(0)
  expect(meanReward({ scored: 0, scoreMilliSum: 0 })).toBeNull()
})
