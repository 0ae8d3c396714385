/**
 * Half-width floating-point numbers, as model files hold them.
 *
 * Typed arrays have the byte order of the machine and the files are little-endian, as is every machine that Node 24 has
 * binaries for but s390x; the readers check it.
 */
const f32 = new Float32Array(1)
const u32 = new Uint32Array(f32.buffer)

/** bfloat16 is the upper half of a float32: exact. */
export function bf16ToF32(source: Uint16Array, target: Float32Array): void {
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length)
  for (let i = 0; i < source.length; i++) bits[i] = (source[i] as number) << 16
}

/** Rounds to nearest, ties to even, as PyTorch does; a NaN stays a (quiet) NaN. */
export function f32ToBf16(source: Float32Array, target: Uint16Array): void {
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length)
  for (let i = 0; i < source.length; i++) {
    const x = bits[i] as number
    if ((x & 0x7fffffff) > 0x7f800000) target[i] = (x >>> 16) | 0x40
    else target[i] = (x + 0x7fff + ((x >>> 16) & 1)) >>> 16
  }
}

/** IEEE 754 binary16 to float32: exact. Uses a table, since a weight file has far more numbers than there are halves. */
export function f16ToF32(source: Uint16Array, target: Float32Array): void {
  const table = f16Bits()
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length)
  for (let i = 0; i < source.length; i++) bits[i] = table[source[i] as number] as number
}

let f16Table: Uint32Array | undefined

/** The bits of a float32 for each half. */
function f16Bits(): Uint32Array {
  f16Table ??= Uint32Array.from({ length: 1 << 16 }, (_, half) => f32BitsOfF16(half))
  return f16Table
}

function f32BitsOfF16(half: number): number {
  const sign = (half & 0x8000) << 16
  const exponent = (half >>> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 31) return sign | (fraction === 0 ? 0x7f800000 : 0x7fc00000 | (fraction << 13))
  if (exponent > 0) return sign | ((exponent + 112) << 23) | (fraction << 13)
  f32[0] = fraction * 2 ** -24
  return sign | (u32[0] as number)
}
