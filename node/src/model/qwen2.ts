import { Graph, type Value } from '#engine/graph.ts'
import {
  add,
  cast,
  expand,
  flattenRows,
  gather,
  lessOrEqual,
  linear,
  matMul,
  range,
  reshape,
  rmsNorm,
  rope,
  scale,
  siluMul,
  softmax,
  subFrom,
  tokenLogProb,
  transpose,
  unsqueeze,
} from '#engine/tensor.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes } from './decoderWeights.ts'

/** The graph's weights, by Hugging Face name. */
export type WeightValues = ReadonlyMap<string, Value>

/** Log-probabilities of chosen tokens of a padded batch, and what they are made of. */
export interface TokenScores {
  readonly graph: Graph
  readonly weights: WeightValues
  /** [M, V] at the chosen positions. */
  readonly logits: Value
  /** [M]: log-probability of each chosen token under the softmax of `logits`. */
  readonly logprobs: Value
}

/**
 * A whole decoder as a graph for training and scoring: no cache, all positions at once, the output layer only
 * where it is asked for.
 *
 * Inputs beside the weights: `ids` i64 [B, T], padded on the right (padding is never attended to, since attention
 * is causal); `cos`, `sin` [T, headDim] (see `ropeTables`); `rows` i64 [M], the positions b * T + t whose next
 * token is scored; `targets` i64 [M], those tokens.
 *
 * @param real - f64 to check gradients, f32 otherwise.
 * @param temperature - logits are divided by it.
 */
export function tokenScores(config: DecoderConfig, real: 'f32' | 'f64' = 'f32', temperature = 1): TokenScores {
  const graph = new Graph(real)
  const ids = graph.input('ids', 'i64', ['B', 'T'])
  const cos = graph.input('cos', real, ['T', config.headDim])
  const sin = graph.input('sin', real, ['T', config.headDim])
  const rows = graph.input('rows', 'i64', ['M'])
  const targets = graph.input('targets', 'i64', ['M'])
  const weights = new Map<string, Value>()
  for (const [name, shape] of decoderWeightShapes(config)) weights.set(name, graph.input(name, real, shape))
  const hidden = qwen2Hidden(config, weights, ids, cos, sin, rows)
  const logits = scale(qwen2Logits(config, weights, hidden), 1 / temperature)
  return { graph, weights, logits, logprobs: tokenLogProb(logits, targets) }
}

/**
 * Hidden states before the last norm.
 *
 * @param ids - i64 [B, T].
 * @param cos - [T, headDim]; `sin` likewise.
 * @param rows - i64 [M], positions b * T + t: the last layer is computed only there, where it is wanted; everywhere
 *   by default. Only its attention looks at other positions, and half the positions of a batch are prompts.
 * @returns [M, hidden], or [B, T, hidden] without `rows`.
 * @see Qwen2, arXiv:2407.10671 section 2.2.1.
 */
export function qwen2Hidden(
  config: DecoderConfig,
  weights: WeightValues,
  ids: Value,
  cos: Value,
  sin: Value,
  rows?: Value,
): Value {
  const mask = causalMask(ids, config.heads / config.kvHeads, cos)
  let x = gather(weightOf(weights, 'model.embed_tokens.weight'), ids, 0)
  for (let layer = 0; layer < config.layers; layer++) {
    const weight = (name: string) => weightOf(weights, `model.layers.${layer}.${name}`)
    const norm = (y: Value, name: string) => rmsNorm(y, weight(name), config.rmsNormEps)
    let mixed = attention(config, weight, norm(x, 'input_layernorm.weight'), cos, sin, mask)
    if (rows && layer === config.layers - 1) {
      mixed = gather(flattenRows(mixed), rows, 0)
      x = gather(flattenRows(x), rows, 0)
    }
    x = add(x, linear(mixed, weight('self_attn.o_proj.weight')))
    x = add(x, feedForward(weight, norm(x, 'post_attention_layernorm.weight')))
  }
  return x
}

/** Logits of hidden states: [..., hidden] to [..., V]. */
export function qwen2Logits(config: DecoderConfig, weights: WeightValues, hidden: Value): Value {
  const normal = rmsNorm(hidden, weightOf(weights, 'model.norm.weight'), config.rmsNormEps)
  const head = config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'
  return linear(normal, weightOf(weights, head))
}

/** Grouped-query attention before its output matrix: [B, T, hidden] to [B, T, heads * headDim]. */
function attention(
  config: DecoderConfig,
  weight: (name: string) => Value,
  x: Value,
  cos: Value,
  sin: Value,
  mask: Value,
): Value {
  const { heads, kvHeads, headDim } = config
  const project = (name: string, count: number) => {
    const y = linear(x, weight(`self_attn.${name}_proj.weight`), weight(`self_attn.${name}_proj.bias`))
    return transpose(reshape(y, ['B', 'T', count, headDim]), [0, 2, 1, 3])
  }
  const q = rope(project('q', heads), cos, sin) // [B, heads, T, D]
  const k = rope(project('k', kvHeads), cos, sin) // [B, kvHeads, T, D]
  const v = project('v', kvHeads)
  // The query heads that share a key head become rows of one product, so that keys and values are never repeated.
  const grouped = reshape(q, ['B', kvHeads, mask.shape[0] ?? 'T', headDim])
  const scores = matMul(grouped, k, { transB: true, alpha: 1 / Math.sqrt(headDim) })
  const mixed = matMul(softmax(add(scores, mask)), v) // [B, kvHeads, G*T, D]
  const joined = transpose(reshape(mixed, ['B', heads, 'T', headDim]), [0, 2, 1, 3])
  return reshape(joined, ['B', 'T', heads * headDim])
}

function feedForward(weight: (name: string) => Value, x: Value): Value {
  const inner = siluMul(linear(x, weight('mlp.gate_proj.weight')), linear(x, weight('mlp.up_proj.weight')))
  return linear(inner, weight('mlp.down_proj.weight'))
}

/** 0 where a position may look and -1e9 where not, once for each query head of a group: [G*T, T]. */
function causalMask(ids: Value, group: number, like: Value): Value {
  const positions = range(ids, 'T')
  const visible = cast(lessOrEqual(unsqueeze(positions, 0), unsqueeze(positions, 1)), like.dtype)
  const mask = scale(subFrom(1, visible), -1e9)
  return group === 1 ? mask : reshape(expand(unsqueeze(mask, 0), [group, 'T', 'T']), [`${group}*T`, 'T'])
}

/**
 * Cosines and sines of the rotary positions 0 to length - 1, each half of a row the same.
 *
 * @returns two arrays [length, headDim], computed in float64.
 */
export function ropeTables(config: DecoderConfig, length: number): { cos: Float64Array; sin: Float64Array } {
  const dim = config.headDim
  const [cos, sin] = [new Float64Array(length * dim), new Float64Array(length * dim)]
  for (let position = 0; position < length; position++) {
    for (let i = 0; i < dim; i++) {
      const angle = position * config.ropeTheta ** ((-2 * (i % (dim / 2))) / dim)
      cos[position * dim + i] = Math.cos(angle)
      sin[position * dim + i] = Math.sin(angle)
    }
  }
  return { cos, sin }
}

function weightOf(weights: WeightValues, name: string): Value {
  const value = weights.get(name)
  if (!value) throw new Error(`the graph has no weight named ${name}`)
  return value
}
