import { expect, test } from 'vitest'
import { meanReward } from './meanReward.ts'

test('the mean reward counts unavailable peers as 0 and leaves out those without a quorum', () => {
  expect(meanReward({ scored: 2, unavailable: 1, scoreMilliSum: 1500 })).toBe(0.5)
  expect(meanReward({ scored: 0, unavailable: 0, scoreMilliSum: 0 })).toBeNull()
})
