import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { CanonicalError, decodeCanonical, encodeCanonical } from './canonical.ts'

const schema = z.strictObject({ a: z.int(), b: z.instanceof(Uint8Array), c: z.string().max(100) })

test('a value survives encoding and decoding', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.uint8Array({ maxLength: 100 }), fc.string({ maxLength: 50 }), (a, b, c) => {
      const decoded = decodeCanonical(encodeCanonical({ c, b, a }), schema, 1000)
      expect(decoded).toEqual({ a, b, c })
    }),
  )
})

test('the order of keys makes no difference to the bytes', () => {
  expect(encodeCanonical({ bb: 1, a: 2 })).toEqual(encodeCanonical({ a: 2, bb: 1 }))
})

test('bytes over the limit are refused before they are parsed', () => {
  expect(() => decodeCanonical(new Uint8Array(11), schema, 10)).toThrow(/at most 10/)
})

test('a longer form of the same number is refused', () => {
  // {"a": 1} with 1 written in two bytes (0x18 0x01) instead of one.
  const bytes = Uint8Array.of(0xa1, 0x61, 0x61, 0x18, 0x01)
  expect(() => decodeCanonical(bytes, z.strictObject({ a: z.int() }), 100)).toThrow(CanonicalError)
})

test('unsorted keys are refused', () => {
  // {"b": 1, "a": 1}
  const bytes = Uint8Array.of(0xa2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x01)
  expect(() => decodeCanonical(bytes, z.any(), 100)).toThrow(CanonicalError)
})

test('a prototype key is refused', () => {
  const bytes = encodeCanonical(JSON.parse('{"__proto__": {"x": 1}}'))
  expect(() => decodeCanonical(bytes, z.strictObject({}), 100)).toThrow(CanonicalError)
})

test('deep nesting is refused and does not end the process', () => {
  expect(() => decodeCanonical(new Uint8Array(1_000_000).fill(0x81), z.any(), 2_000_000)).toThrow(CanonicalError)
})

test.each([
  ['empty maps', [0x9a, 0x00, 0x00, 0x10, 0x00], 0xa0],
  ['empty lists in a list of unknown length', [0x9b, 0, 0, 0, 1, 0, 0, 0, 0], 0x80],
  ['keys', [0xb9, 0x10, 0x00], 0x60],
])('bytes that claim more %s than allowed are refused before they are decoded', (_, head, item) => {
  const bytes = new Uint8Array(head.length + 4096).fill(item)
  bytes.set(head)
  expect(() => decodeCanonical(bytes, z.any(), 10_000, 1000)).toThrow(/^More than 1000 values and keys/)
})

test('values and keys count, and not the bytes of a text', () => {
  const value = { a: ['x'.repeat(5000), new Uint8Array(300), 1.5, 2 ** 40, -7, null, true], b: {} }
  const bytes = encodeCanonical(value)
  expect(decodeCanonical(bytes, z.any(), 10_000, 12)).toEqual(value)
  expect(() => decodeCanonical(bytes, z.any(), 10_000, 11)).toThrow(/^More than 11/)
})

test('unknown fields and wrong types name the field', () => {
  expect(() => decodeCanonical(encodeCanonical({ a: 'x', b: new Uint8Array(), c: '' }), schema, 100)).toThrow(/'a'/)
  expect(() => decodeCanonical(encodeCanonical({ a: 1, b: new Uint8Array(), c: '', d: 1 }), schema, 100)).toThrow(
    CanonicalError,
  )
})

test('arbitrary bytes either decode or throw a CanonicalError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      try {
        decodeCanonical(bytes, schema, 1000)
      } catch (error) {
        expect(error).toBeInstanceOf(CanonicalError)
      }
    }),
  )
})

test('a key that the schema drops is refused, so that one value has one encoding', () => {
  const bytes = encodeCanonical(JSON.parse('{"v":1,"__proto__":2}'))
  for (const schema of [z.strictObject({ v: z.int() }), z.looseObject({}), z.record(z.string(), z.int())]) {
    expect(() => decodeCanonical(bytes, schema, 100)).toThrow(CanonicalError)
  }
  const text = encodeCanonical({ text: '__proto__' })
  expect(decodeCanonical(text, z.strictObject({ text: z.string() }), 100)).toEqual({ text: '__proto__' })
})
