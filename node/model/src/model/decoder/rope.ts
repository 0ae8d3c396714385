/**
 * How rotary frequencies are changed for contexts longer than those of the first training.
 *
 * `linear` divides every frequency by the factor (arXiv:2306.15595). `llama3` divides the slow ones, keeps the fast ones, and
 * goes from one to the other between `originalMaxPositions` / `lowFreqFactor` and / `highFreqFactor` positions a turn.
 */
export type RopeScaling =
  | { readonly type: 'linear'; readonly factor: number }
  | {
      readonly type: 'llama3'
      readonly factor: number
      readonly lowFreqFactor: number
      readonly highFreqFactor: number
      readonly originalMaxPositions: number
    }

/** The fields of a decoder's configuration that its rotary embedding depends on. */
interface RopeShape {
  readonly headDim: number
  readonly ropeTheta: number
  readonly ropeScaling: RopeScaling | null
}

/**
 * Radians that each pair of a head's elements turns by from one position to the next: [headDim / 2], in float32.
 *
 * Every operation is rounded as in transformers: an error in the last bit of a frequency is multiplied by the position, and
 * would be 1e-3 in a logit at position 600.
 *
 * @see RoFormer, arXiv:2104.09864 section 3.2.2; transformers, `modeling_rope_utils`.
 */
export function ropeFrequencies({ headDim, ropeTheta, ropeScaling }: RopeShape): Float32Array {
  return Float32Array.from({ length: headDim / 2 }, (_, i) =>
    scaledFrequency(f32(1 / f32(f32(ropeTheta) ** f32((2 * i) / headDim))), ropeScaling),
  )
}

const f32 = Math.fround

/** Divides a number by a tensor as PyTorch does: both steps are rounded. */
const over = (number: number, divisor: number) => f32(f32(1 / divisor) * f32(number))

function scaledFrequency(frequency: number, scaling: RopeScaling | null): number {
  if (!scaling) return frequency
  const factor = f32(scaling.factor)
  const slow = f32(frequency / factor)
  if (scaling.type === 'linear') return slow
  const { lowFreqFactor: low, highFreqFactor: high, originalMaxPositions } = scaling
  const wavelength = over(2 * Math.PI, frequency)
  if (wavelength < f32(originalMaxPositions / high)) return frequency
  if (wavelength > f32(originalMaxPositions / low)) return slow
  const turns = over(originalMaxPositions, wavelength) // over the context first trained on
  const fast = f32(f32(turns - f32(low)) / f32(high - low))
  return f32(f32(f32(f32(1 - fast) * frequency) / factor) + f32(fast * frequency))
}

/** Cosines and sines of the rotary positions 0 to length - 1, row-major. */
interface RopeTables {
  readonly cos: Float32Array
  readonly sin: Float32Array
}

/**
 * The tables as attention kernels take them: [length, headDim / 2].
 *
 * Angles are float32, as in the code that models are trained with: in float64 those of position 10 000 would differ by up to 5e-4.
 */
export function ropeHalfTables(shape: RopeShape, length: number): RopeTables {
  const frequencies = ropeFrequencies(shape)
  const half = frequencies.length
  const angles = Float32Array.from(
    { length: length * half },
    (_, i) => Math.floor(i / half) * (frequencies[i % half] as number),
  )
  return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) }
}

/** The tables with both halves of a row the same, as the `Rope` op takes them: [length, headDim]. */
export function ropeTables(shape: RopeShape, length: number): RopeTables {
  const half = shape.headDim / 2
  const doubled = (table: Float32Array) =>
    Float32Array.from(
      { length: 2 * table.length },
      (_, i) => table[Math.floor(i / (2 * half)) * half + (i % half)] as number,
    )
  const { cos, sin } = ropeHalfTables(shape, length)
  return { cos: doubled(cos), sin: doubled(sin) }
}
