import { expect, test } from 'vitest'
import { feedSentence } from './feedSentence.ts'
import { formatNectar, formatPoints, formatShare, shorten } from './format.ts'

test('points show two decimals, and thousands are grouped', () => {
  expect(formatPoints(0)).toBe('0.00')
  expect(formatPoints(1_234_567)).toBe('1,234.57')
})

test('Nectar is shown in whole coins with two decimals', () => {
  expect(formatNectar('1234567890000000000000')).toBe('1,234.56')
  expect(formatNectar(null)).toBe('0.00')
})

test('Nectar of less than a hundredth is not told as none, in the feed either', () => {
  expect(formatNectar('9999999999999999')).toBe('< 0.01')
  const detail = { account: '0x1234567890abcdef', gameId: '3', stakeWei: '5000000000000000' }
  expect(feedSentence({ kind: 'betPlaced', round: null, detail })).toBe('0x1234…cdef bet < 0.01 Nectar in game 3')
})

test('a share is a whole percent', () => {
  expect(formatShare(0.4567)).toBe('46 %')
})

test('a long identifier keeps its two ends and a short one stays whole', () => {
  expect(shorten('0x1234567890abcdef')).toBe('0x1234…cdef')
  expect(shorten('0x12345678')).toBe('0x12345678')
})
