import type { Value } from '#engine/graph.ts'
import { add, concat, matMul, reshape, softmax, transpose } from '#engine/tensor.ts'
import type { DecoderConfig } from './decoderConfig.ts'

interface NewTokens {
  /** [B, S, heads * headDim], rotated. */
  readonly query: Value
  /** [B, S, kvHeads * headDim], rotated; `value` likewise. */
  readonly key: Value
  readonly value: Value
  /** [G*S, S]: what the new tokens may see of each other. */
  readonly causal: Value
}

interface PastTokens {
  /** [B, kvHeads, P, headDim]; `value` likewise. */
  readonly key: Value
  readonly value: Value
  /** [B, 1, 1, P]: 0 for a position of the row, -1e30 for one that is not. */
  readonly hidden: Value
}

/**
 * Grouped-query attention of new tokens to a cache and to each other: [B*S, heads * headDim].
 *
 * Written out, and not as ONNX Runtime's GroupQueryAttention, because that copies the cache once for each query head in
 * every step: a millisecond a layer at 8 rows of 200 positions. Here keys and values are read where they lie, once for the
 * query heads that share them. The new tokens come first, so that a longer cache only appends zeros to the sums and changes
 * no bit; the caller keeps S + P a multiple of 64, the stride of the softmax kernel's sums.
 */
export function attendCache(config: DecoderConfig, tokens: NewTokens, past: PastTokens): Value {
  const { heads, kvHeads, headDim } = config
  const { causal } = tokens
  const graph = causal.graph
  const rows = causal.shape[0] as string
  const inHeads = (x: Value, count: number) => transpose(reshape(x, ['B', 'S', count, headDim]), [0, 2, 1, 3])
  const query = reshape(inHeads(tokens.query, heads), ['B', kvHeads, rows, headDim])
  const [key, value] = [inHeads(tokens.key, kvHeads), inHeads(tokens.value, kvHeads)] // [B, kvHeads, S, D]
  const scoresOf = (keys: Value) => matMul(query, keys, { transB: true, alpha: 1 / Math.sqrt(headDim) })
  const scores = concat([add(scoresOf(key), causal), add(scoresOf(past.key), past.hidden)], 3, 'T')
  const weights = softmax(scores) // [B, kvHeads, G*S, S+P]
  const count = graph.length('S')
  const part = (start: Value, end: Value, length: string) =>
    graph.apply1('Slice', [weights, start, end, graph.integers([3])], {}, ['B', kvHeads, rows, length])
  const toNew = part(graph.integers([0]), count, 'S')
  const toPast = part(count, graph.integers([Number.MAX_SAFE_INTEGER]), 'P')
  const mixed = add(matMul(toNew, value), matMul(toPast, past.value)) // [B, kvHeads, G*S, D]
  const joined = transpose(reshape(mixed, ['B', heads, 'S', headDim]), [0, 2, 1, 3])
  return reshape(joined, ['B*S', heads * headDim])
}
