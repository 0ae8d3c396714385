import { createHash } from 'node:crypto'
import { z } from 'zod'
import { checkOptions } from '../checkOptions.ts'
import { requireFinite } from '../files/requireFinite.ts'
import {
  encodeSafetensors,
  encodeSafetensorsHeader,
  readStoredTensors,
  type StoredTensor,
  type Tensor,
  visitStoredTensor,
  writeSafetensors,
} from '../files/safetensors.ts'
import { ModelFileError } from '../modelErrors.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { checkShapes, locateWeights, requireMemory } from './weightFiles.ts'

/** A model's weights by their Hugging Face names, matrices as `[out, in]`. */
export type Weights = Map<string, Tensor>

/**
 * Reads a model's weights from its folder, from one file or from many, as float32.
 *
 * @throws {ModelFileError} if a tensor of the configuration is missing, misshapen or not finite, the files contain another tensor, or memory is
 *   too small.
 */
export async function readWeights(folder: string, config: DecoderConfig): Promise<Weights> {
  const stored = await locateWeights(folder, config)
  requireMemory(folder, stored)
  const weights = await readStoredTensors(stored.values())
  for (const [name, { data }] of weights) requireFinite(data, name, stored.get(name)?.path ?? folder)
  return weights
}

/** Writes a safetensors file in one step. F32 is exact; BF16 rounds to nearest even. */
export async function writeWeights(path: string, weights: Weights, dtype: 'F32' | 'BF16'): Promise<void> {
  await writeSafetensors(path, weights, dtype)
}

/** @throws {ModelFileError} naming `source` and the first tensor that is missing, misshapen or not the model's. */
export function checkWeights(config: DecoderConfig, weights: Weights, source: string): void {
  checkOptions(z.instanceof(Map, { error: 'expected a Map of tensors by name' }), weights, source)
  checkShapes(config, weights, source)
  for (const [name, { shape, data }] of weights) {
    const elements = shape.reduce((product, length) => product * length, 1)
    if (data.length !== elements)
      throw new ModelFileError(source, name, `has ${data.length} elements for shape [${shape}]`)
  }
}

/**
 * Content hash of weights, `0x` and 64 digits: sha-256 of their safetensors file in F32. It does not depend on the file that
 * they were read from; weights rounded to BF16 have the hash of the rounded ones.
 */
export function hashWeights(weights: Weights): `0x${string}` {
  const hash = createHash('sha256')
  for (const part of encodeSafetensors(weights, 'F32')) hash.update(part)
  return `0x${hash.digest('hex')}`
}

/**
 * `hashWeights` of a model's folder, a few megabytes in memory at a time.
 *
 * @throws {ModelFileError} as `readWeights`.
 */
export async function hashStoredWeights(folder: string, config: DecoderConfig): Promise<`0x${string}`> {
  const stored = await locateWeights(folder, config)
  const hash = createHash('sha256')
  for (const part of encodeSafetensorsHeader(stored, 'F32')) hash.update(part)
  for (const name of [...stored.keys()].sort()) {
    const tensor = stored.get(name) as StoredTensor
    await visitStoredTensor(tensor, (data, first) => {
      requireFinite(data, name, tensor.path, first)
      hash.update(data)
    })
  }
  return `0x${hash.digest('hex')}`
}

/** A copy that later in-place changes do not affect. */
export function copyWeights(weights: Weights): Weights {
  return new Map([...weights].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]))
}

/** Whether two sets of weights of one model are the same, bit for bit. */
export function sameWeights(a: Weights, b: Weights): boolean {
  const bytes = ({ data }: Tensor) => Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  for (const [name, tensor] of a) {
    const other = b.get(name)
    if (!other || Buffer.compare(bytes(tensor), bytes(other)) !== 0) return false
  }
  return a.size === b.size
}
