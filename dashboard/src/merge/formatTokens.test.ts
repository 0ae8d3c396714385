import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { exactTokens, formatCoin, formatProfit, formatShares, formatTokens } from './formatTokens.ts'

test('Nectar has two decimals and is never rounded up, but what is signed has all', () => {
  const amounts = ['0', '0.0001', '0.015', '4', '19.9965', '1234.567'].map(one => parseEther(one))
  expect(amounts.map(formatTokens)).toEqual(['0', '< 0.01', '0.01', '4', '19.99', '1,234.56'])
  expect(amounts.map(exactTokens)).toEqual(['0', '0.0001', '0.015', '4', '19.9965', '1234.567'])
})

test('one share is one', () => {
  expect(['1', '1.5', '0.001', '4'].map(one => formatShares(parseEther(one)))).toEqual([
    '1 share',
    '1.5 shares',
    '< 0.01 shares',
    '4 shares',
  ])
})

test('coin has as many decimals as it takes to tell a bond', () => {
  const amounts = ['0', '0.0003', '0.000286204200000', '0.01', '0.015', '1.25', '12345.6']
  expect(amounts.map(one => formatCoin(parseEther(one)))).toEqual([
    '0',
    '0.0003',
    '0.000286',
    '0.01',
    '0.015',
    '1.25',
    '12,345.6',
  ])
})

test('a profit or a loss of less than a hundredth is not 0', () => {
  const amounts = ['0', '6', '-3.456', '0.00234', '-0.0005', '1234.5']
  expect(amounts.map(one => formatProfit(parseEther(one)))).toEqual([
    '0.00',
    '+6.00',
    '−3.46',
    '+0.0023',
    '−0.0005',
    '+1,234.50',
  ])
})
