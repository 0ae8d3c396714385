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

/** IEEE 754 binary16 to float32: exact. */
export function f16ToF32(source: Uint16Array, target: Float32Array): void {
  for (let i = 0; i < source.length; i++) target[i] = f16Value(source[i] as number)
}

function f16Value(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >>> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent < 31) return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  if (fraction === 0) return sign * Number.POSITIVE_INFINITY
  u32[0] = ((half & 0x8000) << 16) | 0x7fc00000 | (fraction << 13)
  return f32[0] as number
}
