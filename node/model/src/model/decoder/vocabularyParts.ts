import { type Tensor, tensor } from '#engine/session.ts'
import { type DecoderConfig, outputWeight } from './decoderConfig.ts'
import type { Weights } from './weights.ts'

/** Tokens of a float32 output layer at a time: enough for products at their full speed. */
export const FLOAT_PART = 8192

/** First token and number of tokens of each part of a vocabulary. */
export function vocabularyParts(vocabSize: number, most: number): { first: number; length: number }[] {
  return Array.from({ length: Math.ceil(vocabSize / most) }, (_, part) => {
    const first = part * most
    return { first, length: Math.min(most, vocabSize - first) }
  })
}

/** Whether a frozen float32 output layer runs in parts: a small one is a part by itself. */
export const isParted = ({ vocabSize }: DecoderConfig) => vocabSize > FLOAT_PART

/** The shapes of its parts, by `<name>.<part>`. */
export function floatPartShapes(config: DecoderConfig): Map<string, readonly [number, number]> {
  const parts = vocabularyParts(config.vocabSize, FLOAT_PART)
  return new Map(parts.map(({ length }, p) => [`${outputWeight(config)}.${p}`, [length, config.hiddenSize]]))
}

/** The parts as tensors that share the weight's memory. */
export function floatPartTensors(config: DecoderConfig, weights: Weights): Map<string, Tensor> {
  const name = outputWeight(config)
  const weight = weights.get(name)
  if (!weight) throw new Error(`no weight named ${name}`)
  let first = 0
  return new Map(
    [...floatPartShapes(config)].map(([part, shape]) => {
      const from = first
      first += shape[0] * shape[1]
      return [part, tensor('f32', weight.data.subarray(from, first), shape)]
    }),
  )
}
