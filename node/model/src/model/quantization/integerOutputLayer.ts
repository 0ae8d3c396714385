import { type Tensor, tensor } from '#engine/session.ts'
import { integerTokenLogProb } from '#engine/tensor.ts'
import type { DType, Value } from '#engine/value.ts'
import type { WeightValues } from '../decoder/decoder.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { vocabularyParts } from '../decoder/vocabularyParts.ts'
import type { Weights } from '../decoder/weights.ts'
import { meanRow, quantizeBytes, quantizeRows } from './quantize.ts'

/** Tokens of the output layer at a time: their logits for a step's rows stay in the last cache, which [rows, vocabulary] is ten times. */
export const VOCABULARY_PART = 4096

export interface IntegerShape {
  readonly dtype: Extract<DType, 'i8' | 'u8' | 'f32'>
  readonly shape: readonly number[]
}

/** Prefix of the names of the output layer's tensors: a tied one is the embedding. */
const tableName = ({ tieWordEmbeddings }: DecoderConfig) => (tieWordEmbeddings ? 'model.embed_tokens' : 'lm_head')

/**
 * An output layer in 8-bit integers: `<table>.rows` i8 [V, hidden] and `.scale` [V], and for part p of its tokens `.columns.<p>` i8
 * [hidden, n], `.scale.<p>`, `.rows.<p>`, and `.middle.<p>` i8 [hidden], the rounded mean of the rows.
 *
 * @param codes - of the matrices that products are by: u8, larger by 128, where a device keeps them, which has no tensors of i8.
 */
export function outputLayerShapes(config: DecoderConfig, codes: 'i8' | 'u8' = 'i8'): Map<string, IntegerShape> {
  const { vocabSize, hiddenSize } = config
  const table = tableName(config)
  const shapes = new Map<string, IntegerShape>([
    [`${table}.rows`, { dtype: 'i8', shape: [vocabSize, hiddenSize] }],
    [`${table}.scale`, { dtype: 'f32', shape: [vocabSize] }],
  ])
  for (const [p, { length }] of vocabularyParts(config.vocabSize, VOCABULARY_PART).entries()) {
    shapes.set(`${table}.columns.${p}`, { dtype: codes, shape: [hiddenSize, length] })
    shapes.set(`${table}.scale.${p}`, { dtype: 'f32', shape: [length] })
    shapes.set(`${table}.rows.${p}`, { dtype: codes, shape: [length, hiddenSize] })
    shapes.set(`${table}.middle.${p}`, { dtype: 'i8', shape: [hiddenSize] })
  }
  return shapes
}

/** The tensors of `outputLayerShapes`, rounded from weights. The parts share the memory of the whole, except for the columns. */
export function outputLayerTensors(config: DecoderConfig, weights: Weights): Map<string, Tensor> {
  const { hiddenSize: width } = config
  const table = tableName(config)
  const weight = weights.get(`${table}.weight`)
  if (!weight) throw new Error(`no weight named ${table}.weight`)
  const { codes, scales } = quantizeRows(weight)
  const tensors = new Map<string, Tensor>([
    [`${table}.rows`, tensor('i8', codes, weight.shape)],
    [`${table}.scale`, tensor('f32', scales, [scales.length])],
  ])
  for (const [p, { first, length }] of vocabularyParts(config.vocabSize, VOCABULARY_PART).entries()) {
    const [from, to] = [first * width, (first + length) * width]
    const columns = quantizeBytes([{ shape: [length, width], data: weight.data.subarray(from, to) }]).codes
    const rows = codes.subarray(from, to)
    tensors.set(`${table}.columns.${p}`, tensor('i8', columns, [width, length]))
    tensors.set(`${table}.scale.${p}`, tensor('f32', scales.subarray(first, first + length), [length]))
    tensors.set(`${table}.rows.${p}`, tensor('i8', rows, [length, width]))
    tensors.set(`${table}.middle.${p}`, tensor('i8', meanRow(rows, width), [width]))
  }
  return tensors
}

/**
 * Log-probabilities [M] of tokens under values of `outputLayerShapes`, from normalised hidden states [M, hidden].
 *
 * @param values - without a gradient, those of the columns and their scales are enough.
 */
export function integerLogprobs(
  config: DecoderConfig,
  values: WeightValues,
  hidden: Value,
  tokens: Value,
  temperature: number,
): Value {
  const value = (name: string) => values.get(`${tableName(config)}.${name}`) ?? null
  const parts = vocabularyParts(config.vocabSize, VOCABULARY_PART).map((_, p) => ({
    columns: value(`columns.${p}`) as Value,
    scales: value(`scale.${p}`) as Value,
    rows: value(`rows.${p}`),
    middle: value(`middle.${p}`),
  }))
  return integerTokenLogProb(hidden, { rows: value('rows'), scales: value('scale'), parts }, tokens, 1 / temperature)
}
