import { type Device, keepsTensors } from '#engine/devices/device.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { addRmsNorm, concat, gather, reshape, rmsNorm, siluMul, split, transpose } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import type { Freeze } from '../quantization/frozenParts.ts'
import { attendCache, visiblePositions } from './attendCache.ts'
import { drawToken, likelyTokens } from './drawToken.ts'

/**
 * The decoder as generation runs it: some tokens in, their keys and values out, and tokens that are sampled after some of them.
 *
 * The same graph prefills (S tokens a row) and decodes (S = 1). Keys are rotated before they leave, so the caller's
 * cache holds them ready; only new ones are returned, because ONNX Runtime copies every output.
 *
 * Weights are constants and not inputs. With prepacked constants each row is bitwise identical whatever other rows are in the
 * batch and however many threads work; with inputs it is not. A session of a million parameters is built in some tens of
 * milliseconds.
 *
 * Inputs: `tokens`, `positions` i64 [B, S]; `last` i64 [L], rows of [B * S] after which a token is sampled, the same row as often as there are samples; `hidden` f32
 * [B, 1, 1, P], 0 where the cache has a position of the row and -1e30 elsewhere; `causal` f32 [G*S, S], the same among the new
 * tokens, for each of the G query heads that share a key head; `cos`, `sin` f32 [R, headDim / 2], rotary tables of as many
 * positions as are in use or more (see `ropeHalfTables`); `uniforms` f32 [L, 1]; `inverseTemperature` f32 []; `greedy` bool [];
 * `past.<layer>.key|value` f32 [B, kvHeads, P, headDim].
 * Outputs: `token` i64 [L], `logprob` f32 [L] under the distribution sampled from (at `greedy`: under temperature
 * 1 / `inverseTemperature`), `probabilities`, `logits` f32 [L, V], `new` f32 [layers * 2 * B, kvHeads, S, headDim]: the
 * first layer's keys, its values, and so on, in one output because each is a copy and some microseconds.
 *
 * On a device that keeps tensors, positions of the last steps come apart from the others, so that no step copies the whole cache: a further input
 * `recent.<layer>.key|value` f32 [B, kvHeads, Q, headDim], of which all but the first are positions of each row, `causal` f32 [G*S, Q + S] over these and the new tokens, and
 * outputs `kept.<layer>.key|value` [B, kvHeads, Q + S, headDim], both, which stay there, in the place of `new`; `probabilities` stay there too, and what top-p needs
 * of them are the outputs of `likelyTokens`.
 */
export function buildGenerationModel(config: DecoderConfig, freeze: Freeze, device: Device = 'cpu'): OnnxModel {
  const graph = new Graph()
  const parts = freeze(graph)
  const tokens = graph.input('tokens', 'i64', ['B', 'S'])
  const positions = graph.input('positions', 'i64', ['B', 'S'])
  const last = graph.input('last', 'i64', ['L'])
  const hiddenPast = graph.input('hidden', 'f32', ['B', 1, 1, 'P'])
  const group = config.heads / config.kvHeads
  const isKept = keepsTensors(device)
  const causal = graph.input('causal', 'f32', [group === 1 ? 'S' : `${group}*S`, isKept ? 'N' : 'S'])
  const cos = graph.input('cos', 'f32', ['R', config.headDim / 2])
  const sin = graph.input('sin', 'f32', ['R', config.headDim / 2])
  const visible = visiblePositions(causal, hiddenPast)
  const stored = new Map<string, Value>()
  const after = (recent: Value, fresh: Value) => concat([recent, fresh], 2, 'N')

  const eps = config.rmsNormEps
  const normOf = (layer: number) =>
    parts.weight(layer < config.layers ? `model.layers.${layer}.input_layernorm.weight` : 'model.norm.weight')
  let x = parts.embed(reshape(tokens, ['B*S'])) // (B*S, hidden)
  let normal = rmsNorm(x, normOf(0), eps)
  for (let layer = 0; layer < config.layers; layer++) {
    const name = (part: string) => `model.layers.${layer}.${part}`
    const projections = ['q', 'k', 'v'].map(part => name(`self_attn.${part}_proj`))
    const qkv = parts.project(normal, ...projections)
    const headNorms = config.queryKeyNorm
      ? { query: parts.weight(name('self_attn.q_norm.weight')), key: parts.weight(name('self_attn.k_norm.weight')) }
      : undefined
    const fresh = rotatedHeads(config, qkv, { positions, cos, sin }, headNorms)
    const cached = (block: string, part: string, length: string) =>
      graph.input(`${block}.${layer}.${part}`, 'f32', ['B', config.kvHeads, length, config.headDim])
    const past = { key: cached('past', 'key', 'P'), value: cached('past', 'value', 'P') }
    const latest = isKept
      ? {
          ...fresh,
          key: after(cached('recent', 'key', 'Q'), fresh.key),
          value: after(cached('recent', 'value', 'Q'), fresh.value),
        }
      : fresh
    stored.set(`${layer}.key`, latest.key).set(`${layer}.value`, latest.value)
    const attention = attendCache(config, latest, past, visible)
    const mixed = parts.project(attention, name('self_attn.o_proj'))
    const middle = addRmsNorm(x, mixed, parts.weight(name('post_attention_layernorm.weight')), eps)
    const [gate, up] = ['gate', 'up'].map(part => parts.project(middle.normal, name(`mlp.${part}_proj`)))
    const fed = parts.project(siluMul(gate as Value, up as Value), name('mlp.down_proj'))
    ;({ sum: x, normal } = addRmsNorm(middle.sum, fed, normOf(layer + 1), eps))
  }

  const logits = parts.logits(gather(normal, last, 0)) // (L, V)
  const draw = { ...drawToken(config, logits), logits }
  if (!isKept) return encodeModel({ ...draw, new: concat([...stored.values()], 0, `${stored.size}*B`) }, [], device)
  const kept = Object.fromEntries([...stored].map(([name, value]) => [`kept.${name}`, value]))
  const outputs = { ...draw, ...likelyTokens(draw.probabilities), ...kept }
  return encodeModel(outputs, [], device, ['probabilities', ...Object.keys(kept)])
}

interface Rotation {
  readonly positions: Value
  readonly cos: Value
  readonly sin: Value
}

/**
 * Queries, keys and values [B, heads, S, headDim] of joined projections, the first two normalised, if the model does, and
 * rotated.
 *
 * @param headNorms - weights [headDim] that each head of queries and keys is normalised with.
 */
function rotatedHeads(
  config: DecoderConfig,
  qkv: Value,
  { positions, cos, sin }: Rotation,
  headNorms?: { query: Value; key: Value },
) {
  const { heads, kvHeads, headDim } = config
  const inHeads = transpose(reshape(qkv, ['B', 'S', heads + 2 * kvHeads, headDim]), [0, 2, 1, 3])
  const [queryKey, value] = split(inHeads, 1, [heads + kvHeads, kvHeads]) as [Value, Value]
  const normal = headNorms ? normalHeads(config, queryKey, headNorms) : queryKey
  const rotated = qkv.graph.apply1('RotaryEmbedding', [normal, positions, cos, sin])
  const [query, key] = split(rotated, 1, [heads, kvHeads]) as [Value, Value]
  return { query, key, value }
}

/** Queries and keys [B, heads + kvHeads, S, headDim] with each head normalised (Qwen3, arXiv:2505.09388 section 2). */
function normalHeads(config: DecoderConfig, queryKey: Value, weights: { query: Value; key: Value }): Value {
  const { heads, kvHeads, rmsNormEps } = config
  const [query, key] = split(queryKey, 1, [heads, kvHeads]) as [Value, Value]
  return concat([rmsNorm(query, weights.query, rmsNormEps), rmsNorm(key, weights.key, rmsNormEps)], 1)
}
