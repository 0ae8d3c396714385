import { randomStream } from '#core/random.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { initWeights } from './initWeights.ts'
import type { Weights } from './weights.ts'

/** A decoder small enough for tests, with every feature: grouped queries, biases, a head width of its own. */
export const tinyConfig: DecoderConfig = {
  architecture: 'qwen2',
  vocabSize: 24,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 8,
  intermediateSize: 24,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 64,
}

/** Random weights with peaked distributions and with norms and biases that are neither one nor zero. For tests. */
export function tinyWeights(config: DecoderConfig = tinyConfig, seed = 'tiny'): Weights {
  const weights = initWeights(config, seed)
  for (const [name, { shape, data }] of weights) {
    const random = randomStream(`tiny ${name}`, seed)
    const isMatrix = shape.length === 2
    for (let i = 0; i < data.length; i++) {
      const value = data[i] as number
      if (name.endsWith('embed_tokens.weight') || name === 'lm_head.weight') data[i] = 25 * value
      else data[i] = isMatrix ? 2 * value : value + 0.2 * random.normal()
    }
  }
  return weights
}
