import type { Device } from '#engine/device.ts'
import { Graph, type Value } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import {
  add,
  argMax,
  cast,
  concat,
  cumSum,
  gather,
  gatherElements,
  greater,
  linear,
  logSoftmax,
  mul,
  pad,
  reshape,
  rmsNorm,
  siluMul,
  slice,
  softmax,
  split,
  squeeze,
  where,
} from '#engine/tensor.ts'
import { constantWeights } from './constantWeights.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { cacheHeadDim } from './kvCache.ts'
import type { Weights } from './weights.ts'

/**
 * The decoder as generation runs it: some tokens in, their keys and values and one sampled token a row out.
 *
 * The same graph prefills (S tokens a row, no past) and decodes (S = 1). Keys are rotated before they leave, so the caller's
 * cache holds them ready; only new ones are returned, because ONNX Runtime copies every output.
 *
 * Weights are constants and not inputs: products with prepacked constants give each row the same bits whatever other rows
 * are in the batch and however many threads work, which products with inputs do not. A session of a million parameters is
 * built in some tens of milliseconds.
 *
 * Inputs: `tokens`, `positions` i64 [B, S]; `last` i64 [B], row of each sequence's last token in [B * S]; `lengths` i32 [B],
 * past and new tokens of the row minus 1; `longest` i32 [], past and new tokens of the longest row; `cos`, `sin` f32
 * [R, headDim / 2], rotary tables of as many positions as are in use or more (see `ropeHalfTables`); `uniforms` f32 [B, 1];
 * `inverseTemperature` f32 []; `greedy` bool []; `past.<layer>.key|value` f32 [B, kvHeads, P, D] with D = `cacheHeadDim`.
 * Outputs: `token` i64 [B], `logprob` f32 [B] under the distribution sampled from (at `greedy`: under temperature
 * 1 / `inverseTemperature`), `new.<layer>.key|value` f32 [B, S, kvHeads * D].
 */
export function buildGenerationModel(config: DecoderConfig, weights: Weights, device: Device = 'cpu'): OnnxModel {
  const graph = new Graph()
  const weight = constantWeights(graph, weights)
  const tokens = graph.input('tokens', 'i64', ['B', 'S'])
  const positions = graph.input('positions', 'i64', ['B', 'S'])
  const last = graph.input('last', 'i64', ['B'])
  const lengths = graph.input('lengths', 'i32', ['B'])
  const longest = graph.input('longest', 'i32', [])
  const cos = graph.input('cos', 'f32', ['R', config.headDim / 2])
  const sin = graph.input('sin', 'f32', ['R', config.headDim / 2])
  const embedding = weight('model.embed_tokens.weight')
  /** One product of matrices that share their input, whose outputs are joined. */
  const project = (value: Value, ...names: string[]) => {
    const biases = names.map(name => `${name}.bias`)
    const hasBias = weights.has(biases[0] as string)
    return linear(value, weight(...names.map(name => `${name}.weight`)), hasBias ? weight(...biases) : undefined)
  }
  const outputs: Record<string, Value> = {}

  let x = gather(embedding, reshape(tokens, ['B*S']), 0) // (B*S, hidden)
  for (let layer = 0; layer < config.layers; layer++) {
    const name = (part: string) => `model.layers.${layer}.${part}`
    const norm = weight(name('input_layernorm.weight'))
    const projections = ['q', 'k', 'v'].map(part => name(`self_attn.${part}_proj`))
    const qkv = project(rmsNorm(x, norm, config.rmsNormEps), ...projections)
    const headNorms = config.queryKeyNorm
      ? { query: weight(name('self_attn.q_norm.weight')), key: weight(name('self_attn.k_norm.weight')) }
      : undefined
    const inputs = { positions, lengths, longest, cos, sin }
    const { attention, key, value } = attend(config, qkv, inputs, layer, headNorms)
    outputs[`new.${layer}.key`] = key
    outputs[`new.${layer}.value`] = value
    x = add(x, project(attention, name('self_attn.o_proj')))

    const postNorm = weight(name('post_attention_layernorm.weight'))
    const gateUp = project(rmsNorm(x, postNorm, config.rmsNormEps), name('mlp.gate_proj'), name('mlp.up_proj'))
    const [gate, up] = split(gateUp, -1, [config.intermediateSize, config.intermediateSize]) as [Value, Value]
    x = add(x, project(siluMul(gate, up), name('mlp.down_proj')))
  }

  const hidden = rmsNorm(gather(x, last, 0), weight('model.norm.weight'), config.rmsNormEps) // (B, hidden)
  const logits = linear(hidden, config.tieWordEmbeddings ? embedding : weight('lm_head.weight'))
  return encodeModel({ ...sample(config, logits), ...outputs }, [], device)
}

interface AttentionInputs {
  readonly positions: Value
  readonly lengths: Value
  readonly longest: Value
  readonly cos: Value
  readonly sin: Value
}

/** @param headNorms - weights [headDim] that each head of queries and keys is normalised with. */
function attend(
  config: DecoderConfig,
  qkv: Value,
  inputs: AttentionInputs,
  layer: number,
  headNorms?: { query: Value; key: Value },
) {
  const { heads, kvHeads, headDim } = config
  const graph = qkv.graph
  const [querySize, keySize, cached] = [heads * headDim, kvHeads * headDim, cacheHeadDim(config)]
  const [queryKey, value] = split(reshape(qkv, ['B', 'S', querySize + 2 * keySize]), -1, [
    querySize + keySize,
    keySize,
  ]) as [Value, Value]
  const normal = headNorms ? normalHeads(config, queryKey, headNorms) : queryKey
  const rotated = graph.apply1('RotaryEmbedding', [normal, inputs.positions, inputs.cos, inputs.sin], {
    num_heads: heads + kvHeads,
  })
  const [query, key] = split(rotated, -1, [querySize, keySize]) as [Value, Value]
  const [wideQuery, wideKey, wideValue] = [
    resizeHeads(query, heads, headDim, cached),
    resizeHeads(key, kvHeads, headDim, cached),
    resizeHeads(value, kvHeads, headDim, cached),
  ]
  const past = ['key', 'value'].map(part =>
    graph.input(`past.${layer}.${part}`, 'f32', ['B', kvHeads, 'P', cached]),
  ) as [Value, Value]
  const operands = [wideQuery, wideKey, wideValue, ...past, inputs.lengths, inputs.longest]
  const mixed = graph.apply1('GroupQueryAttention', operands, {
    num_heads: heads,
    kv_num_heads: kvHeads,
    scale: { float: 1 / Math.sqrt(headDim) },
    do_rotary: 0,
  })
  const attention = resizeHeads(mixed, heads, cached, headDim)
  return { attention: reshape(attention, ['B*S', heads * headDim]), key: wideKey, value: wideValue }
}

/** [B, S, count * from] to [B, S, count * to]: zeros are added to each head, or its last elements taken off. */
function resizeHeads(x: Value, count: number, from: number, to: number): Value {
  if (from === to) return x
  const inHeads = reshape(x, ['B', 'S', count, from])
  const resized = from < to ? pad(inHeads, -1, 0, to - from) : slice(inHeads, -1, 0, to)
  return reshape(resized, ['B', 'S', count * to])
}

/** Queries and keys [B, S, (heads + kvHeads) * headDim] with each head normalised (Qwen3, arXiv:2505.09388 section 2). */
function normalHeads(config: DecoderConfig, queryKey: Value, weights: { query: Value; key: Value }): Value {
  const { heads, kvHeads, headDim, rmsNormEps } = config
  const inHeads = reshape(queryKey, ['B', 'S', heads + kvHeads, headDim])
  const [query, key] = split(inHeads, 2, [heads, kvHeads]) as [Value, Value]
  const normal = concat([rmsNorm(query, weights.query, rmsNormEps), rmsNorm(key, weights.key, rmsNormEps)], 2)
  return reshape(normal, ['B', 'S', (heads + kvHeads) * headDim])
}

/**
 * One token a row by the inverse of its cumulative distribution: the first token whose running sum of probabilities passes
 * the row's uniform. One random number a token, where Gumbel's trick asks for one a token and vocabulary entry.
 */
function sample(config: DecoderConfig, logits: Value): { token: Value; logprob: Value } {
  const graph = logits.graph
  const uniforms = graph.input('uniforms', 'f32', ['B', 1])
  const inverseTemperature = graph.input('inverseTemperature', 'f32', [])
  const greedy = graph.input('greedy', 'bool', [])
  const scaled = mul(logits, inverseTemperature)
  const running = cumSum(softmax(scaled), -1)
  const total = slice(running, -1, config.vocabSize - 1, config.vocabSize)
  const drawn = argMax(cast(greater(running, mul(uniforms, total)), 'f32'), -1, true)
  const token = where(greedy, argMax(logits, -1, true), drawn) // (B, 1)
  return { token: squeeze(token, -1), logprob: squeeze(gatherElements(logSoftmax(scaled), token, -1), -1) }
}
