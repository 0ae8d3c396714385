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

// By arrays and never by a number: in a thread that has run a model of ONNX Runtime, JavaScript reads a subnormal number as 0.
test('every bfloat16 comes back from float32', () => {
  const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits)
  const wide = new Float32Array(all.length)
  const back = new Uint16Array(all.length)
  bf16ToF32(all, wide)
  f32ToBf16(wide, back)
  // A signalling NaN comes back as the quiet one.
  const isNan = (bits: number) => (bits & 0x7fff) > 0x7f80
  expect(back).toEqual(all.map(bits => (isNan(bits) ? bits | 0x40 : bits)))
})

test('rounding goes to the nearest bfloat16, ties to even', () => {
  expect(toBf16(1 + 2 ** -8)).toBe(0x3f80) // a tie: down to even
  expect(toBf16(1 + 3 * 2 ** -8)).toBe(0x3f82) // a tie: up to even
  expect(toBf16(1 + 2 ** -8 + 2 ** -20)).toBe(0x3f81)
  expect(toBf16(3.4e38)).toBe(0x7f80) // past the largest: infinity
  fc.assert(
    fc.property(
      fc.float({ noNaN: true, noDefaultInfinity: true, min: 2 ** -126, max: 2 ** 126 }),
      fc.boolean(),
      (size, isNegative) => {
        const x = isNegative ? -size : size
        expect(Math.abs(fromBf16(toBf16(x)) - x)).toBeLessThanOrEqual(size * 2 ** -8)
      },
    ),
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
