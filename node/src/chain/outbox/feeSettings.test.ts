import { expect, test } from 'vitest'
import { z } from 'zod'
import { defaultFeeLimits, feeLimits, feeSettings } from './feeSettings.ts'

const schema = z.object(feeSettings)

test('the bounds of fees are settings in gwei, of an option or a file, down to a thousandth', () => {
  expect(schema.parse({ 'max-fee-gwei': '0.05', 'max-tip-gwei': 2 })).toEqual({
    'max-fee-gwei': 0.05,
    'max-tip-gwei': 2,
  })
  expect(feeLimits({ maxFeeGwei: 0.05, maxTipGwei: 0.001 })).toEqual({
    maxFeePerGasWei: 50_000_000n,
    maxTipPerGasWei: 1_000_000n,
  })
  expect(defaultFeeLimits).toEqual({ maxFeePerGasWei: 500_000_000_000n, maxTipPerGasWei: 16_000_000_000n })
})

test.each(['0', '-1', 'ten', '', '1e9'])('a bound of "%s" gwei is refused', value => {
  expect(schema.safeParse({ 'max-tip-gwei': value }).success).toBe(false)
})
