import { expect, test } from 'vitest'
import { readableAmount } from './readableAmount.ts'

test.each([
  ['1481.387658327305144853', '1481.3876'],
  ['9.99996', '9.9999'],
  ['10', '10'],
  ['0', '0'],
  ['12.50', '12.5'],
  ['3.000000000000000001', '3'],
  ['0.000000000000000001', 'under 0.0001'],
])('%s reads %s', (exact, read) => {
  expect(readableAmount(exact)).toBe(read)
})
