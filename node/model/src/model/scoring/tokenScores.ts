import { Graph } from '#engine/graph.ts'
import type { Value } from '#engine/value.ts'
import { decoderHidden, decoderLogits, decoderTokenLogProb, denseParts, type WeightValues } from '../decoder/decoder.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import { type LoraConfig, loraScaling } from '../lora/loraConfig.ts'
import { loraShapes } from '../lora/loraFactors.ts'
import { loraParts } from '../lora/loraParts.ts'

/** Log-probabilities of chosen tokens of a padded batch, and the values that they are computed from. */
interface TokenScores {
  readonly graph: Graph
  readonly weights: WeightValues
  /** The factors of an adapter; none without one. */
  readonly factors: WeightValues
  /** [M, V] at the chosen positions, before the temperature. */
  readonly logits: Value
  /** [M]: log-probability of each chosen token. */
  readonly logprobs: Value
}

/**
 * A whole decoder as a graph for training and scoring, with the output layer only at the requested rows.
 *
 * Inputs besides the weights: `ids` i64 [B, T]; `cos`, `sin` [T, headDim]; `rows` i64 [M], the positions b * T + t whose next
 * token is scored; `targets` i64 [M], those tokens (see `decoderFeeds`).
 *
 * @param real - f64 to check gradients, f32 otherwise.
 * @param temperature - logits are divided by it.
 * @param lora - an adapter, whose factors are inputs like the weights.
 */
export function tokenScores(
  config: DecoderConfig,
  real: 'f32' | 'f64' = 'f32',
  temperature = 1,
  lora?: LoraConfig,
): TokenScores {
  const graph = new Graph(real)
  const ids = graph.input('ids', 'i64', ['B', 'T'])
  const cos = graph.input('cos', real, ['T', config.headDim])
  const sin = graph.input('sin', real, ['T', config.headDim])
  const rows = graph.input('rows', 'i64', ['M'])
  const targets = graph.input('targets', 'i64', ['M'])
  const weights = new Map<string, Value>()
  for (const [name, shape] of decoderWeightShapes(config)) weights.set(name, graph.input(name, real, shape))
  const factors = new Map<string, Value>()
  for (const [name, shape] of lora ? loraShapes(config, lora) : []) factors.set(name, graph.input(name, real, shape))
  const base = denseParts(weights)
  const parts = lora ? loraParts(base, factors, loraScaling(lora)) : base
  const hidden = decoderHidden(config, parts, ids, cos, sin, rows)
  const logprobs = decoderTokenLogProb(config, parts, hidden, targets, temperature)
  return { graph, weights, factors, logits: decoderLogits(config, parts, hidden), logprobs }
}
