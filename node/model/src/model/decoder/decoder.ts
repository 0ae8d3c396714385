import { add, flattenRows, gather, linear, reshape, rmsNorm, siluMul, tokenLogProb } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { attendAfterPrompt } from './attendAfterPrompt.ts'
import { attendCausally, causalMask, type Positions } from './attendCausally.ts'
import { type DecoderConfig, outputWeight } from './decoderConfig.ts'

/** The graph's weights, by Hugging Face name. */
export type WeightValues = ReadonlyMap<string, Value>

/**
 * The parts of a decoder. The names are Hugging Face's: `model.layers.0.self_attn.q_proj` is a matrix with its bias, if it
 * has one; `model.norm.weight` is a weight. Adapters come in as another `project`.
 */
export interface DecoderParts {
  weight(name: string): Value
  /** y = x W^T, plus the bias of the matrix if it has one. [..., in] to [..., out]. */
  project(x: Value, name: string): Value
}

/** A decoder's parts with dense weights, as in its files. */
export function denseParts(weights: WeightValues): DecoderParts {
  const weight = (name: string) => {
    const value = weights.get(name)
    if (!value) throw new Error(`the graph has no weight named ${name}`)
    return value
  }
  return { weight, project: (x, name) => linear(x, weight(`${name}.weight`), weights.get(`${name}.bias`)) }
}

/**
 * Hidden states before the last norm: no cache, all positions at once.
 *
 * @param ids - i64 [B, T], padded on the right (padding is never attended to, since attention is causal).
 * @param cos - [T, headDim]; `sin` likewise (see `ropeTables`).
 * @param rows - i64 [M], positions b * T + t: the last layer is computed only there, where it is wanted; everywhere
 *   by default. Only its attention reads other positions, and half the positions of a batch are prompts.
 * @returns [M, hidden], or [B, T, hidden] without `rows`.
 * @see Qwen2, arXiv:2407.10671 section 2.2.1; Qwen3, arXiv:2505.09388 section 2; Llama, arXiv:2407.21783 section 3.2.
 */
export function decoderHidden(
  config: DecoderConfig,
  parts: DecoderParts,
  ids: Value,
  cos: Value,
  sin: Value,
  rows?: Value,
): Value {
  return decoderStream(config, parts, gather(parts.weight('model.embed_tokens.weight'), ids, 0), cos, sin, rows)
}

/** The same from embedded tokens [B, T, hidden]. */
export function decoderStream(
  config: DecoderConfig,
  parts: DecoderParts,
  embedded: Value,
  cos: Value,
  sin: Value,
  rows?: Value,
): Value {
  const positions = { cos, sin, mask: causalMask(config.heads / config.kvHeads, cos) }
  let x = embedded
  for (let layer = 0; layer < config.layers; layer++) {
    const wanted = layer === config.layers - 1 ? rows : undefined
    x = decoderLayer(config, parts, `model.layers.${layer}`, x, positions, wanted)
  }
  return x
}

/**
 * One layer: attention and feed-forward, each on a norm of the residual stream and added to it.
 *
 * @param layer - prefix of the names of its parts: `model.layers.0`.
 * @param x - [B, T, hidden], or [N, hidden] after shared prompts (see `attendAfterPrompt`).
 * @param rows - see `decoderHidden`.
 */
export function decoderLayer(
  config: DecoderConfig,
  parts: DecoderParts,
  layer: string,
  x: Value,
  positions: Positions,
  rows?: Value,
): Value {
  const norm = (y: Value, name: string) => rmsNorm(y, parts.weight(`${layer}.${name}`), config.rmsNormEps)
  let stream = x
  let mixed = attention(config, parts, `${layer}.self_attn`, norm(x, 'input_layernorm.weight'), positions)
  if (rows) {
    mixed = gather(flattenRows(mixed), rows, 0)
    stream = gather(flattenRows(x), rows, 0)
  }
  stream = add(stream, parts.project(mixed, `${layer}.self_attn.o_proj`))
  return add(stream, feedForward(parts, `${layer}.mlp`, norm(stream, 'post_attention_layernorm.weight')))
}

/** Logits of hidden states: [..., hidden] to [..., V]. */
export function decoderLogits(config: DecoderConfig, parts: DecoderParts, hidden: Value): Value {
  return linear(lastNorm(config, parts, hidden), outputLayer(config, parts))
}

/** Log-probability [M] of a token a row, from hidden states [M, hidden], where logits are divided by a temperature. */
export function decoderTokenLogProb(
  config: DecoderConfig,
  parts: DecoderParts,
  hidden: Value,
  tokens: Value,
  temperature: number,
): Value {
  return tokenLogProb(lastNorm(config, parts, hidden), outputLayer(config, parts), tokens, 1 / temperature)
}

const lastNorm = (config: DecoderConfig, parts: DecoderParts, hidden: Value) =>
  rmsNorm(hidden, parts.weight('model.norm.weight'), config.rmsNormEps)

/** Adapters change only the layers, never `lm_head`. */
const outputLayer = (config: DecoderConfig, parts: DecoderParts) => parts.weight(outputWeight(config))

/** Grouped-query attention before its output matrix: [..., hidden] to [..., heads * headDim]. */
function attention(config: DecoderConfig, parts: DecoderParts, name: string, x: Value, positions: Positions): Value {
  const { heads, kvHeads, headDim } = config
  const inHeads = (part: string, count: number) =>
    reshape(parts.project(x, `${name}.${part}_proj`), [...x.shape.slice(0, -1), count, headDim])
  const normal = (y: Value, part: string) =>
    config.queryKeyNorm ? rmsNorm(y, parts.weight(`${name}.${part}_norm.weight`), config.rmsNormEps) : y
  const tokens = {
    query: normal(inHeads('q', heads), 'q'),
    key: normal(inHeads('k', kvHeads), 'k'),
    value: inHeads('v', kvHeads),
  }
  return positions.before
    ? attendAfterPrompt(config, tokens, positions, positions.before)
    : attendCausally(config, tokens, positions)
}

function feedForward({ project }: DecoderParts, name: string, x: Value): Value {
  return project(siluMul(project(x, `${name}.gate_proj`), project(x, `${name}.up_proj`)), `${name}.down_proj`)
}
