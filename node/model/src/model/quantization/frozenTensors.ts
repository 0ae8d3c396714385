import { realpath } from 'node:fs/promises'
import type { DType, StoredData } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { locateWeights, requireMemory } from '../decoder/weightFiles.ts'
import type { Precision } from './precision.ts'

/** A constant: its bytes in memory, or their place in a file. */
export interface FrozenTensor {
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly content: ArrayBufferView | Omit<StoredData, 'name'>
}

/**
 * The constants of a frozen model's graph.
 *
 * float32 and float16: the model's own tensors, by name; products are in float16, everything else (including the output layer) in float32. int8: `<matrix>.weight` i8 [in, out] and `<matrix>.scale` f32 [out], where the
 * matrix may be several joined by `+`. int4: `<matrix>.weight` u8 [out, blocks, bytes] and `<matrix>.scale` f32 [out * blocks].
 * Biases, joined alike, and norms are f32. `embedding.weight` i8 [V, hidden] and `embedding.scale` f32 [V] where the output
 * layer does not have the embedding by column.
 */
export interface FrozenTensors {
  readonly precision: Precision
  readonly constants: ReadonlyMap<string, FrozenTensor>
  /** int4: inputs that share a scale. */
  readonly blockSize: number
  /** int8: which kernel multiplies by a matrix [in, out]. All are bitwise identical. */
  isFused(shape: readonly number[]): boolean
}

/** Tensors in a model's own files: those of the precision's type are read in place, others are converted when the session is made. */
export async function locateFrozenTensors(
  folder: string,
  config: DecoderConfig,
  precision: 'float32' | 'float16' = 'float32',
): Promise<FrozenTensors> {
  const constants = new Map<string, FrozenTensor>()
  const paths = new Map<string, string>()
  const stored = await locateWeights(folder, config)
  requireMemory(folder, stored)
  for (const [name, { dtype, shape, path, offset }] of stored) {
    const real = paths.get(path) ?? (await realpath(path))
    paths.set(path, real)
    constants.set(name, { dtype: graphTypes[dtype], shape, content: { path: real, offset } })
  }
  return { precision, constants, blockSize: 0, isFused: () => true }
}

const graphTypes = { F32: 'f32', F16: 'f16', BF16: 'bf16' } as const
