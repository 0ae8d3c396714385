import fc from 'fast-check'
import { encodeAbiParameters, keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from './hex.ts'
import { abiWords, keccak, leafKeccak } from './keccak.ts'

const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => toHex(bytes))
const value = fc.oneof(fc.maxSafeNat(), word)

test('words are those of a general encoder, and hashes those of a general library', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), values => {
      const types = values.map(one => ({ type: typeof one === 'number' ? 'uint256' : 'bytes32' }))
      const encoded = encodeAbiParameters(
        types,
        values.map(one => (typeof one === 'number' ? BigInt(one) : one)),
      )
      const words = abiWords(values)
      expect(toHex(words)).toBe(encoded)
      expect(keccak(words)).toBe(keccak256(encoded))
      expect(leafKeccak(words)).toBe(keccak256(keccak256(encoded)))
    }),
  )
})

test.each([-1, 0.5, 2 ** 53, '0x', '0x12', `0x${'zz'.repeat(32)}`, `0x${'00'.repeat(33)}`] as (number | Hex)[])(
  '%s is not a word',
  one => {
    expect(() => abiWords([one])).toThrow(RangeError)
  },
)
