import type { Graph } from '#engine/graph.ts'
import { add, concat, expand, matMul, reshape, rmsNorm, softmax, split, transpose } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'

/** Weights [headDim] that each head of queries and keys is normalised with. */
export interface HeadNorms {
  readonly query: Value
  readonly key: Value
}

/** Attention in a graph of generation, layer after layer. */
export interface CachedAttention {
  /** From joined projections [B*S, (heads + 2 kvHeads) * headDim] to [B*S, heads * headDim]. */
  readonly attend: (layer: number, qkv: Value, norms: HeadNorms | undefined) => Value
  /** The layers' outputs for the cache, after all were built. */
  readonly outputs: () => Record<string, Value>
}

/** Attention whose new keys and values leave the graph in one output: `new`. Its inputs are those of `buildGenerationModel` on the CPU. */
export function attentionOverCopies(graph: Graph, config: DecoderConfig): CachedAttention {
  const positions = graph.input('positions', 'i64', ['B', 'S'])
  const hidden = graph.input('hidden', 'f32', ['B', 1, 1, 'P'])
  const group = config.heads / config.kvHeads
  const causal = graph.input('causal', 'f32', [group === 1 ? 'S' : `${group}*S`, 'S'])
  const [cos, sin] = ['cos', 'sin'].map(name => graph.input(name, 'f32', ['R', config.headDim / 2])) as [Value, Value]
  const visible = visiblePositions(causal, hidden)
  const stored: Value[] = []
  return {
    attend(layer, qkv, norms) {
      const fresh = rotatedHeads(config, qkv, { positions, cos, sin }, norms)
      stored.push(fresh.key, fresh.value)
      const cached = (part: string) =>
        graph.input(`past.${layer}.${part}`, 'f32', ['B', config.kvHeads, 'P', config.headDim])
      return attendCache(config, fresh, { key: cached('key'), value: cached('value') }, visible)
    },
    outputs: () => ({ new: concat(stored, 0, `${stored.length}*B`) }),
  }
}

interface Rotation {
  readonly positions: Value
  readonly cos: Value
  readonly sin: Value
}

/** Queries, keys and values [B, heads, S, headDim] of joined projections, the first two normalised, if the model does, and rotated. */
function rotatedHeads(
  config: DecoderConfig,
  qkv: Value,
  { positions, cos, sin }: Rotation,
  headNorms: HeadNorms | undefined,
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
function normalHeads(config: DecoderConfig, queryKey: Value, norms: HeadNorms): Value {
  const { heads, kvHeads, rmsNormEps } = config
  const [query, key] = split(queryKey, 1, [heads, kvHeads]) as [Value, Value]
  return concat([rmsNorm(query, norms.query, rmsNormEps), rmsNorm(key, norms.key, rmsNormEps)], 1)
}

interface NewTokens {
  /** [B, heads, S, headDim], rotated. */
  readonly query: Value
  /** [B, kvHeads, S, headDim], rotated; `value` likewise. */
  readonly key: Value
  readonly value: Value
}

interface PastTokens {
  /** [B, kvHeads, P, headDim]; `value` likewise. */
  readonly key: Value
  readonly value: Value
}

/**
 * Mask that is added to scores of new tokens and then of the cache: [B, 1, G*S, S+P], for each of the G query heads that share a key
 * head.
 *
 * @param causal - [G*S, S]: 0 where a new token may attend to another, -1e30 where it may not.
 * @param hidden - [B, 1, 1, P]: 0 for a position of the row, -1e30 for one that is not.
 */
function visiblePositions(causal: Value, hidden: Value): Value {
  const rows = causal.shape[0] as string
  return concat([expand(causal, ['B', 1, rows, 'S']), expand(hidden, ['B', 1, rows, 'P'])], 3, 'T')
}

/**
 * Grouped-query attention of new tokens to a cache and to each other: [B*S, heads * headDim].
 *
 * Written out, and not as ONNX Runtime's GroupQueryAttention, because that copies the cache once for each query head in
 * every step: a millisecond a layer at 8 rows of 200 positions. Here keys and values are read in place, once for the query heads that
 * share them. The new tokens come first, so that a longer cache only appends zeros to the sums and changes
 * no bit; the caller keeps S + P a multiple of 64, the stride of the softmax kernel's sums.
 */
function attendCache(config: DecoderConfig, tokens: NewTokens, past: PastTokens, visible: Value): Value {
  const { heads, kvHeads, headDim } = config
  const query = reshape(tokens.query, ['B', kvHeads, visible.shape[2] as string, headDim])
  const scoresOf = (keys: Value) => matMul(query, keys, { transB: true, alpha: 1 / Math.sqrt(headDim) })
  const scores = concat([scoresOf(tokens.key), scoresOf(past.key)], 3, 'T')
  const weights = softmax(add(scores, visible)) // [B, kvHeads, G*S, S+P]
  const [toNew, toPast] = split(weights, 3, ['S', 'P']) as [Value, Value]
  const mixed = add(matMul(toNew, tokens.value), matMul(toPast, past.value)) // [B, kvHeads, G*S, D]
  const joined = transpose(reshape(mixed, ['B', heads, 'S', headDim]), [0, 2, 1, 3])
  return reshape(joined, ['B*S', heads * headDim])
}
