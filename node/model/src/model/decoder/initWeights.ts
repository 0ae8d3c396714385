import { randomStream, type Seed } from '#base/random.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes } from './decoderWeights.ts'
import type { Weights } from './weights.ts'

/**
 * Fresh weights for training from nothing: normal with standard deviation 0.02 for embeddings and 0.8 / sqrt(in) for
 * matrices, those that write to the residual stream divided by sqrt(2 * layers) so that its variance does not grow with
 * depth; norms one, biases zero.
 *
 * A weight depends on the seed and its own name only.
 *
 * @see Radford et al., Language Models are Unsupervised Multitask Learners, 2019, section 2.3.
 */
export function initWeights(config: DecoderConfig, seed: Seed): Weights {
  const weights: Weights = new Map()
  for (const [name, shape] of decoderWeightShapes(config)) {
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1))
    if (name.endsWith('norm.weight')) data.fill(1)
    else if (shape.length === 2) fillNormal(data, standardDeviation(config, name, shape), name, seed)
    weights.set(name, { shape, data })
  }
  return weights
}

function standardDeviation(config: DecoderConfig, name: string, shape: readonly number[]): number {
  if (name.endsWith('embed_tokens.weight') || name === 'lm_head.weight') return 0.02
  const residual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight')
  return (0.8 / Math.sqrt(shape[1] as number)) * (residual ? 1 / Math.sqrt(2 * config.layers) : 1)
}

function fillNormal(data: Float32Array, deviation: number, name: string, seed: Seed): void {
  const stream = randomStream(`initial weights of ${name}`, seed)
  for (let i = 0; i < data.length; i++) data[i] = deviation * stream.normal()
}
