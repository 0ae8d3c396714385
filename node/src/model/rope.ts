import type { DecoderConfig } from './decoderConfig.ts'

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

/**
 * Radians that each pair of a head's elements turns by from one position to the next: [headDim / 2], each rounded to float32.
 *
 * @see RoFormer, arXiv:2104.09864 section 3.2.2.
 */
export function ropeFrequencies({ headDim, ropeTheta, ropeScaling }: DecoderConfig): Float32Array {
  return Float32Array.from({ length: headDim / 2 }, (_, i) =>
    scaledFrequency(Math.fround(1 / Math.fround(ropeTheta ** Math.fround((2 * i) / headDim))), ropeScaling),
  )
}

function scaledFrequency(frequency: number, scaling: RopeScaling | null): number {
  if (!scaling) return frequency
  const slow = frequency / scaling.factor
  if (scaling.type === 'linear') return slow
  const turns = (scaling.originalMaxPositions * frequency) / (2 * Math.PI) // over the context first trained on
  const { lowFreqFactor: low, highFreqFactor: high } = scaling
  const fast = Math.min(1, Math.max(0, (turns - low) / (high - low)))
  return (1 - fast) * slow + fast * frequency
}

/** Cosines and sines of the rotary positions 0 to length - 1, row-major. */
export interface RopeTables {
  readonly cos: Float32Array
  readonly sin: Float32Array
}

/**
 * The tables as attention kernels take them: [length, headDim / 2].
 *
 * Angles are float32, as in the code that models are trained with: in float64 those of position 10 000 would differ by up to 5e-4.
 */
export function ropeHalfTables(config: DecoderConfig, length: number): RopeTables {
  const frequencies = ropeFrequencies(config)
  const half = frequencies.length
  const angles = Float32Array.from(
    { length: length * half },
    (_, i) => Math.floor(i / half) * (frequencies[i % half] as number),
  )
  return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) }
}

/** The tables with both halves of a row the same, as the `Rope` op takes them: [length, headDim]. */
export function ropeTables(config: DecoderConfig, length: number): RopeTables {
  const half = config.headDim / 2
  const doubled = (table: Float32Array) =>
    Float32Array.from(
      { length: 2 * table.length },
      (_, i) => table[Math.floor(i / (2 * half)) * half + (i % half)] as number,
    )
  const { cos, sin } = ropeHalfTables(config, length)
  return { cos: doubled(cos), sin: doubled(sin) }
}
