import type { Graph } from '#engine/graph.ts'
import { concat, reshape, rmsNorm, split, transpose } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { attendCache, visiblePositions } from './attendCache.ts'

/** Weights [headDim] that each head of queries and keys is normalised with. */
export interface HeadNorms {
  readonly query: Value
  readonly key: Value
}

/** Attention in a graph of generation, layer after layer. */
export interface CachedAttention {
  /** From joined projections [B*S, (heads + 2 kvHeads) * headDim] to [B*S, heads * headDim]. */
  readonly attend: (layer: number, qkv: Value, norms: HeadNorms | undefined) => Value
  /** What the layers give to the cache, once all were built. */
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
