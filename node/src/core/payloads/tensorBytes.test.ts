import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bf16ToF32, f16ToF32, f32ToBf16 } from './tensorBytes.ts'

const toBf16 = (x: number) => {
  const out = new Uint16Array(1)
  f32ToBf16(Float32Array.of(x), out)
  return out[0] as number
}
const fromBf16 = (bits: number) => {
  const out = new Float32Array(1)
  bf16ToF32(Uint16Array.of(bits), out)
  return out[0] as number
}

test('every bfloat16 comes back from float32', () => {
  for (let bits = 0; bits < 65536; bits++) {
    const x = fromBf16(bits)
    if (Number.isNaN(x)) expect(fromBf16(toBf16(x))).toBeNaN()
    else if (toBf16(x) !== bits) expect(toBf16(x)).toBe(bits)
  }
})

test('rounding goes to the nearest bfloat16, ties to even', () => {
  expect(toBf16(1 + 2 ** -8)).toBe(0x3f80) // a tie: down to even
  expect(toBf16(1 + 3 * 2 ** -8)).toBe(0x3f82) // a tie: up to even
  expect(toBf16(1 + 2 ** -8 + 2 ** -20)).toBe(0x3f81)
  expect(toBf16(3.4e38)).toBe(0x7f80) // past the largest: infinity
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 126), max: 2 ** 126 }), x => {
      const bits = toBf16(x)
      const error = Math.abs(fromBf16(bits) - x)
      expect(error).toBeLessThanOrEqual(Math.max(Math.abs(x) * 2 ** -8, 2 ** -133))
    }),
  )
})

test('float16 values are those of IEEE 754', () => {
  const halves = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0xfc00, 0x8000, 0x3555)
  const out = new Float32Array(halves.length)
  f16ToF32(halves, out)
  const third = Math.fround(0.333251953125)
  expect([...out]).toEqual([1, -2, 65504, 2 ** -24, 2 ** -14, Infinity, -Infinity, -0, third])
  f16ToF32(Uint16Array.of(0x7e00), out)
  expect(out[0]).toBeNaN()
})
