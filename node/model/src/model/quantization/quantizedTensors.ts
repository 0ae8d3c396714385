import { z } from 'zod'
import { checkOptions } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import type { Weights } from '../decoder/weights.ts'
import type { Tensor } from '../files/safetensors.ts'
import type { FrozenTensor, FrozenTensors } from './frozenTensors.ts'
import type { Precision } from './precision.ts'
import { quantizeBlocks, quantizeBytes, quantizeRows } from './quantize.ts'

export type QuantizedPrecision = Exclude<Precision, 'float32' | 'float16'>

/** Inputs of a 4-bit matrix that share a scale: 0.625 bytes a weight. */
export const BLOCK_SIZE = 32

/** Reads weights by name, in order; those that the model does not have are left out. */
type ReadTensors = (names: readonly string[]) => Promise<Tensor[]>

/**
 * Quantises a model piece by piece, so that one joined matrix and its source are in memory at a time.
 *
 * @returns pieces in the order in which a graph uses them, as `FrozenTensors.constants` has them.
 */
export async function* quantizedTensors(
  config: DecoderConfig,
  precision: QuantizedPrecision,
  read: ReadTensors,
): AsyncGenerator<[string, FrozenTensor & { content: ArrayBufferView }]> {
  const names = [...decoderWeightShapes(config).keys()]
  for (const name of names.filter(name => name.endsWith('norm.weight')))
    yield [name, real((await read([name]))[0] as Tensor)]
  const layers = Array.from({ length: config.layers }, (_, layer) => `model.layers.${layer}.`)
  const products = layers.flatMap(layer => layerProducts.map(parts => parts.map(part => layer + part)))
  products.push([config.tieWordEmbeddings ? 'model.embed_tokens' : 'lm_head'])
  for (const parts of products) {
    const joined = parts.join('+')
    yield* matrixPieces(joined, precision, await read(parts.map(part => `${part}.weight`)))
    const biases = await read(parts.map(part => `${part}.bias`))
    if (biases.length > 0) yield [`${joined}.bias`, joinVectors(biases)]
  }
  if (precision === 'int8' && config.tieWordEmbeddings) return
  const [table] = await read(['model.embed_tokens.weight'])
  const { codes, scales } = quantizeRows(table as Tensor)
  yield ['embedding.weight', { dtype: 'i8', shape: (table as Tensor).shape, content: codes }]
  yield ['embedding.scale', { dtype: 'f32', shape: [scales.length], content: scales }]
}

/** Queries, keys and values are one product. Gate and up are wide enough by themselves, and to split them would cost a copy of the widest rows. */
const layerProducts = [
  ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'],
  ['self_attn.o_proj'],
  ['mlp.gate_proj'],
  ['mlp.up_proj'],
  ['mlp.down_proj'],
]

/** [in, out] of the products that an 8-bit model computes. */
export function integerMatrixShapes(config: DecoderConfig): [number, number][] {
  const shapes = decoderWeightShapes(config)
  const rowsOf = (part: string) => shapes.get(`model.layers.0.${part}.weight`)?.[0] as number
  const products = layerProducts.map((parts): [number, number] => {
    const inner = shapes.get(`model.layers.0.${parts[0]}.weight`)?.[1] as number
    return [inner, parts.reduce((sum, part) => sum + rowsOf(part), 0)]
  })
  return [...products, [config.hiddenSize, config.vocabSize]]
}

function* matrixPieces(
  name: string,
  precision: QuantizedPrecision,
  matrices: readonly Tensor[],
): Generator<[string, FrozenTensor & { content: ArrayBufferView }]> {
  const inner = matrices[0]?.shape[1] as number
  const rows = matrices.reduce((sum, { shape }) => sum + (shape[0] as number), 0)
  if (precision === 'int8') {
    const { codes, scales } = quantizeBytes(matrices)
    yield [`${name}.weight`, { dtype: 'i8', shape: [inner, rows], content: codes }]
    yield [`${name}.scale`, { dtype: 'f32', shape: [rows], content: scales }]
    return
  }
  const { codes, scales } = quantizeBlocks(matrices, BLOCK_SIZE)
  const shape = [rows, Math.ceil(inner / BLOCK_SIZE), BLOCK_SIZE / 2]
  yield [`${name}.weight`, { dtype: 'u8', shape, content: codes }]
  yield [`${name}.scale`, { dtype: 'f32', shape: [scales.length], content: scales }]
}

const real = ({ shape, data }: Tensor) => ({ dtype: 'f32', shape, content: data }) as const

function joinVectors(vectors: readonly Tensor[]) {
  const content = Float32Array.from(vectors.flatMap(({ data }) => [...data]))
  return { dtype: 'f32', shape: [content.length], content } as const
}

/** Quantises weights that are in memory. */
export async function quantizeWeights(
  config: DecoderConfig,
  weights: Weights,
  precision: QuantizedPrecision,
): Promise<FrozenTensors> {
  checkOptions(z.enum(['int8', 'int4']), precision, 'quantizeWeights: precision')
  const read: ReadTensors = async names => names.flatMap(name => weights.get(name) ?? [])
  const constants = new Map<string, FrozenTensor>()
  for await (const [name, piece] of quantizedTensors(config, precision, read)) constants.set(name, piece)
  return { precision, constants, blockSize: BLOCK_SIZE, isFused: () => true }
}
