import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { DecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes } from './decoderWeights.ts'
import { ModelFileError } from './modelErrors.ts'
import { encodeSafetensors, readSafetensors, type Tensor, writeSafetensors } from './safetensors.ts'

/** A model's weights by their Hugging Face names, matrices as `[out, in]`. */
export type Weights = Map<string, Tensor>

/** The file in which Hugging Face models that fit one file keep their weights. */
const WEIGHTS_FILE = 'model.safetensors'

/**
 * Reads `model.safetensors` of a folder.
 *
 * @throws {ModelFileError} if a tensor of the configuration is missing, misshapen or not finite, or another one is there.
 */
export async function readWeights(folder: string, config: DecoderConfig): Promise<Weights> {
  const path = join(folder, WEIGHTS_FILE)
  const weights = await readSafetensors(path)
  if (config.tieWordEmbeddings) weights.delete('lm_head.weight') // some exporters write the embedding twice
  checkWeights(config, weights, path)
  for (const [name, { data }] of weights) {
    const at = data.findIndex(x => !Number.isFinite(x))
    if (at >= 0) throw new ModelFileError(path, name, `element ${at} is ${data[at]}`)
  }
  return weights
}

/** Writes a safetensors file in one step. F32 is exact; BF16 rounds to nearest even. */
export async function writeWeights(path: string, weights: Weights, dtype: 'F32' | 'BF16'): Promise<void> {
  await writeSafetensors(path, weights, dtype)
}

/** @throws {ModelFileError} naming `source` and the first tensor that is missing, misshapen or not the model's. */
export function checkWeights(config: DecoderConfig, weights: Weights, source: string): void {
  const shapes = decoderWeightShapes(config)
  const refuse = (name: string, problem: string) =>
    new ModelFileError(source, name, problem, { hint: 'Use weights and config.json of the same model.' })
  for (const [name, shape] of shapes) {
    const found = weights.get(name)
    if (!found) throw refuse(name, 'is missing')
    const elements = shape.reduce((product, length) => product * length, 1)
    if (found.shape.join() !== shape.join() || found.data.length !== elements)
      throw refuse(name, `has shape [${found.shape}], not [${shape}]`)
  }
  for (const name of weights.keys()) if (!shapes.has(name)) throw refuse(name, 'is not a tensor of this model')
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

/** A copy that later changes in place do not reach. */
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
