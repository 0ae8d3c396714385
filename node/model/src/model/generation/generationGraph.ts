import { type Device, keepsTensors } from '#engine/devices/device.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import {
  addRmsNorm,
  argMax,
  expand,
  gather,
  gatherElements,
  log,
  mul,
  reshape,
  rmsNorm,
  siluMul,
  slice,
  softmax,
  squeeze,
  sumOver,
  topK,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import type { Freeze } from '../quantization/frozenParts.ts'
import { attentionInPlace } from './attentionInPlace.ts'
import { attentionOverCopies } from './attentionOverCopies.ts'
import type { DeviceReal } from './deviceArrays.ts'

/**
 * The decoder for generation: takes some tokens, and returns their keys and values, and probabilities to draw tokens from after some of them.
 *
 * The same graph prefills (S tokens a row) and decodes (S = 1). Keys are rotated before they leave, so the caller's
 * cache holds them ready; only new ones are returned, because ONNX Runtime copies every output.
 *
 * Weights are constants and not inputs. With prepacked constants each row is bitwise identical for any other rows in the batch and
 * any number of threads; with inputs it is not. A session of a million parameters is built in some tens of milliseconds.
 *
 * Inputs: `tokens`, `positions` i64 [B, S]; `last` i64 [L], rows of [B * S] after which a token is drawn, the same row as often as there are samples; `hidden` f32
 * [B, 1, 1, P], 0 where the cache has a position of the row and -1e30 elsewhere; `causal` f32 [G*S, S], the same among the new
 * tokens, for each of the G query heads that share a key head; `cos`, `sin` f32 [R, headDim / 2], rotary tables of as many
 * positions as are in use or more (see `ropeHalfTables`); `inverseTemperature` f32 [];
 * `past.<layer>.key|value` f32 [B, kvHeads, P, headDim].
 * Outputs: `token` i64 [L], the likeliest; its `logprob` f32 [L] under temperature 1 / `inverseTemperature`; `probabilities`, `logits` f32 [L, V], `new` f32 [layers * 2 * B, kvHeads, S, headDim]: the
 * first layer's keys, its values, and so on, in one output because each is a copy and some microseconds.
 *
 * On a device that keeps tensors, attention is its own kernel's, over a cache that it writes what is new into: inputs `past.<layer>.key|value` [B, kvHeads, P, headDim] in
 * `parts.real`, `lastPlace` i32 [B] and `filled` i32 [] (see `GroupedAttention`) instead of `positions`, `hidden` and `causal`; outputs `kept.<layer>.key|value`, for which a run is given the
 * tensors that it was fed, instead of `new`; and what draws need of `probabilities`, the outputs of `likelyTokens`.
 */
export function buildGenerationModel(config: DecoderConfig, freeze: Freeze, device: Device = 'cpu'): OnnxModel {
  const graph = new Graph()
  const parts = freeze(graph)
  const tokens = graph.input('tokens', 'i64', ['B', 'S'])
  const last = graph.input('last', 'i64', ['L'])
  const isKept = keepsTensors(device)
  const { attend, outputs } = isKept ? attentionInPlace(graph, config, parts.real) : attentionOverCopies(graph, config)

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
    const mixed = parts.project(attend(layer, qkv, headNorms), name('self_attn.o_proj'))
    const middle = addRmsNorm(x, mixed, parts.weight(name('post_attention_layernorm.weight')), eps)
    const [gate, up] = ['gate', 'up'].map(part => parts.project(middle.normal, name(`mlp.${part}_proj`)))
    const fed = parts.project(siluMul(gate as Value, up as Value), name('mlp.down_proj'))
    ;({ sum: x, normal } = addRmsNorm(middle.sum, fed, normOf(layer + 1), eps))
  }

  const logits = parts.logits(gather(normal, last, 0)) // (L, V)
  const draw = { ...drawToken(logits), logits }
  const likely = isKept ? likelyTokens(draw.probabilities) : {}
  return encodeModel({ ...draw, ...likely, ...outputs() }, [], device)
}

/** Number type of a generation model's cache. */
export const cacheReal = ({ inputs }: OnnxModel): DeviceReal =>
  inputs.get('past.0.key')?.dtype === 'f16' ? 'f16' : 'f32'

/** Vocabularies up to this size are summed at once; larger ones in two steps, in blocks of `BLOCK` tokens. */
const FLAT_VOCABULARY = 4096
const BLOCK = 128

/** Blocks of a vocabulary; null if it is summed at once. */
function blocksOf(vocabSize: number): { readonly count: number; readonly size: number } | null {
  return vocabSize <= FLAT_VOCABULARY || vocabSize % BLOCK ? null : { count: vocabSize / BLOCK, size: BLOCK }
}

/** Most tokens of the vocabulary in `likelyTokens`: 0.7 % of Qwen's. */
const LIKELY = 1024

/**
 * Summary of probabilities [L, V] on a device, for draws: the largest, `likely` [L, K] with the largest first, `likelyTokens` i64 [L, K],
 * and the sum of all, `mass` [L, 1]. See `drawFromLikely`.
 */
function likelyTokens(probabilities: Value): Record<'likely' | 'likelyTokens' | 'mass', Value> {
  const vocabSize = probabilities.shape[1] as number
  const [likely, tokens] = topK(probabilities, Math.min(LIKELY, vocabSize))
  const blocks = blocksOf(vocabSize)
  const parts = blocks ? sumOver(reshape(probabilities, ['L', blocks.count, blocks.size]), [2]) : probabilities
  return { likely, likelyTokens: tokens, mass: sumOver(parts, [1], true) }
}

/** Numbers that an element-by-element kernel takes at a time, or a multiple of them. */
const KERNEL_NUMBERS = 16

/**
 * Outputs for drawing tokens: the likeliest of each row, and probabilities for the caller.
 *
 * @param logits - [L, V].
 * @returns `token` i64 [L], the likeliest; its `logprob` [L] under the softmax of the scaled logits; `probabilities` [L, V], that softmax. Inputs: see
 *   `buildGenerationModel`.
 */
function drawToken(logits: Value): Record<'token' | 'logprob' | 'probabilities', Value> {
  const scaled = mul(logits, logits.graph.input('inverseTemperature', 'f32', []))
  const probabilities = softmax(scaled)
  const token = argMax(scaled, -1, true) // (L, 1)
  // The kernel of the logarithm computes a remainder of fewer numbers differently, so each row fills a whole block.
  const probability = expand(gatherElements(probabilities, token, -1), ['L', KERNEL_NUMBERS])
  const logprob = slice(log(probability), -1, 0, 1)
  return { token: squeeze(token, -1), logprob: squeeze(logprob, -1), probabilities }
}
