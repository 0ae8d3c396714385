import { expect, test } from 'vitest'
import { philox4x32, randomStream, streamKey } from './random.ts'

// Random123, tests/kat_vectors, philox4x32 10
test.each([
  [
    [0, 0, 0, 0],
    [0, 0],
    [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
  ],
  [
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
] as const)('Philox gives the published words for counter %j', (counter, key, words) => {
  expect(philox4x32(counter, key)).toEqual(words)
})

test('keys differ by domain and by seed, and texts and bytes agree', () => {
  expect(streamKey('a', 'seed')).toEqual(streamKey('a', Buffer.from('seed')))
  expect(streamKey('a', 'seed')).not.toEqual(streamKey('b', 'seed'))
  expect(streamKey('a', 'seed')).not.toEqual(streamKey('a', 'seee'))
})

test('a stream repeats and has the moments of its distributions', () => {
  const n = 20000
  const [a, b] = [randomStream('test', '1'), randomStream('test', '1')]
  expect(Array.from({ length: 9 }, a.word)).toEqual(Array.from({ length: 9 }, b.word))
  const mean = (draw: () => number) => Array.from({ length: n }, draw).reduce((sum, x) => sum + x, 0) / n
  expect(mean(a.uniform)).toBeCloseTo(0.5, 1)
  expect(mean(a.normal)).toBeCloseTo(0, 1)
  expect(mean(() => a.normal() ** 2)).toBeCloseTo(1, 1)
  expect(mean(() => a.integer(7))).toBeCloseTo(3, 1)
  expect(new Set(Array.from({ length: 200 }, () => a.integer(7)))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]))
  for (const below of [0, -1, 0.5, Number.NaN, 2 ** 33]) expect(() => a.integer(below), `${below}`).toThrow(RangeError)
})
