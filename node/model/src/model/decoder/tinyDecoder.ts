import { randomStream } from '#base/random.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { initWeights } from './initWeights.ts'
import type { Weights } from './weights.ts'

/** A decoder small enough for tests, with every feature: grouped queries, biases, its own head width. */
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
  ropeScaling: null,
  attentionBias: 'qkv',
  mlpBias: false,
  queryKeyNorm: false,
  tieWordEmbeddings: true,
  maxPositions: 64,
}

/** One of every kind of decoder that can be read. For tests. */
export const tinyFamilies: Readonly<Record<string, DecoderConfig>> = {
  Qwen2: tinyConfig,
  'Qwen3, tied': { ...tinyConfig, architecture: 'qwen3', attentionBias: 'none', queryKeyNorm: true },
  'Qwen3, untied, with biases': {
    ...tinyConfig,
    architecture: 'qwen3',
    attentionBias: 'all',
    queryKeyNorm: true,
    tieWordEmbeddings: false,
  },
  'Llama with linear scaling': {
    ...tinyConfig,
    architecture: 'llama',
    attentionBias: 'none',
    kvHeads: 4,
    ropeTheta: 100_000,
    ropeScaling: { type: 'linear', factor: 4 },
    tieWordEmbeddings: false,
  },
  'Llama 3 with all biases': {
    ...tinyConfig,
    architecture: 'llama',
    attentionBias: 'all',
    mlpBias: true,
    kvHeads: 1,
    ropeScaling: { type: 'llama3', factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositions: 16 },
  },
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
