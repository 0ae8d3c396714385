import { Graph, type Value } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import {
  add,
  argMax,
  cast,
  cumSum,
  gather,
  gatherElements,
  greater,
  linear,
  logSoftmax,
  mul,
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
 * past and new tokens of the row minus 1; `longest` i32 [], past and new tokens of the longest row; `uniforms` f32 [B, 1];
 * `inverseTemperature` f32 []; `greedy` bool []; `past.<layer>.key|value` f32 [B, kvHeads, P, headDim].
 * Outputs: `token` i64 [B], `logprob` f32 [B] under the distribution sampled from (at `greedy`: under temperature
 * 1 / `inverseTemperature`), `new.<layer>.key|value` f32 [B, S, kvHeads * headDim].
 */
export function buildGenerationModel(config: DecoderConfig, weights: Weights): OnnxModel {
  const graph = new Graph()
  const weight = constantWeights(graph, weights)
  const tokens = graph.input('tokens', 'i64', ['B', 'S'])
  const positions = graph.input('positions', 'i64', ['B', 'S'])
  const last = graph.input('last', 'i64', ['B'])
  const lengths = graph.input('lengths', 'i32', ['B'])
  const longest = graph.input('longest', 'i32', [])
  const tables = rotaryTables(graph, config)
  const embedding = weight('model.embed_tokens.weight')
  const outputs: Record<string, Value> = {}

  let x = gather(embedding, reshape(tokens, ['B*S']), 0) // (B*S, hidden)
  for (let layer = 0; layer < config.layers; layer++) {
    const name = (part: string) => `model.layers.${layer}.${part}`
    const norm = weight(name('input_layernorm.weight'))
    const projections = ['q', 'k', 'v'].map(part => name(`self_attn.${part}_proj`))
    const qkv = linear(
      rmsNorm(x, norm, config.rmsNormEps),
      weight(...projections.map(part => `${part}.weight`)),
      weight(...projections.map(part => `${part}.bias`)),
    )
    const { attention, key, value } = attend(config, qkv, { positions, lengths, longest, ...tables }, layer)
    outputs[`new.${layer}.key`] = key
    outputs[`new.${layer}.value`] = value
    x = add(x, linear(attention, weight(name('self_attn.o_proj.weight'))))

    const postNorm = weight(name('post_attention_layernorm.weight'))
    const gateUp = linear(
      rmsNorm(x, postNorm, config.rmsNormEps),
      weight(name('mlp.gate_proj.weight'), name('mlp.up_proj.weight')),
    )
    const [gate, up] = split(gateUp, -1, [config.intermediateSize, config.intermediateSize]) as [Value, Value]
    x = add(x, linear(siluMul(gate, up), weight(name('mlp.down_proj.weight'))))
  }

  const hidden = rmsNorm(gather(x, last, 0), weight('model.norm.weight'), config.rmsNormEps) // (B, hidden)
  const logits = linear(hidden, config.tieWordEmbeddings ? embedding : weight('lm_head.weight'))
  return encodeModel({ ...sample(config, logits), ...outputs })
}

interface AttentionInputs {
  readonly positions: Value
  readonly lengths: Value
  readonly longest: Value
  readonly cos: Value
  readonly sin: Value
}

function attend(config: DecoderConfig, qkv: Value, inputs: AttentionInputs, layer: number) {
  const { heads, kvHeads, headDim } = config
  const graph = qkv.graph
  const [queryKeySize, valueSize] = [(heads + kvHeads) * headDim, kvHeads * headDim]
  const [queryKey, value] = split(reshape(qkv, ['B', 'S', queryKeySize + valueSize]), -1, [
    queryKeySize,
    valueSize,
  ]) as [Value, Value]
  const rotated = graph.apply1('RotaryEmbedding', [queryKey, inputs.positions, inputs.cos, inputs.sin], {
    num_heads: heads + kvHeads,
  })
  const [query, key] = split(rotated, -1, [heads * headDim, valueSize]) as [Value, Value]
  const past = ['key', 'value'].map(part =>
    graph.input(`past.${layer}.${part}`, 'f32', ['B', kvHeads, 'P', headDim]),
  ) as [Value, Value]
  const attention = graph.apply1('GroupQueryAttention', [query, key, value, ...past, inputs.lengths, inputs.longest], {
    num_heads: heads,
    kv_num_heads: kvHeads,
    scale: { float: 1 / Math.sqrt(headDim) },
    do_rotary: 0,
  })
  return { attention: reshape(attention, ['B*S', heads * headDim]), key, value }
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

/** cos and sin of position times frequency, [positions, headDim / 2], computed in float64 and rounded once. */
function rotaryTables(graph: Graph, config: DecoderConfig): { cos: Value; sin: Value } {
  const half = config.headDim / 2
  const table = (f: (angle: number) => number) => {
    const data = Float32Array.from({ length: config.maxPositions * half }, (_, i) =>
      f(Math.floor(i / half) * config.ropeTheta ** ((-2 * (i % half)) / config.headDim)),
    )
    return graph.constant('f32', [config.maxPositions, half], data)
  }
  return { cos: table(Math.cos), sin: table(Math.sin) }
}
