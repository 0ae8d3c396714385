import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex, hash32Schema, toHex, ZERO_HASH } from './hex.ts'

test('bytes go to hexadecimal and back, also from within a larger buffer', () => {
  fc.assert(fc.property(fc.uint8Array(), bytes => Buffer.compare(fromHex(toHex(bytes)), bytes) === 0))
  expect(toHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe('0x0203')
})

test('half bytes, other characters and a missing prefix are refused', () => {
  for (const bad of ['0x1', '0xzz', '00', '']) expect(() => fromHex(bad)).toThrow(TypeError)
})

test('a hash is 32 bytes in lower case', () => {
  expect(hash32Schema.safeParse(ZERO_HASH).success).toBe(true)
  for (const bad of [ZERO_HASH.slice(0, -2), `${ZERO_HASH}00`, `0x${'AB'.repeat(32)}`, 1])
    expect(hash32Schema.safeParse(bad).success).toBe(false)
})
