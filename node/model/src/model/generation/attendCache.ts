import { add, concat, expand, matMul, reshape, softmax, split, transpose } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'

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
 * What is added to scores of new tokens and then of the cache: [B, 1, G*S, S+P], for each of the G query heads that share a key head.
 *
 * @param causal - [G*S, S]: 0 where a new token may attend to another, -1e30 where it may not.
 * @param hidden - [B, 1, 1, P]: 0 for a position of the row, -1e30 for one that is not.
 */
export function visiblePositions(causal: Value, hidden: Value): Value {
  const rows = causal.shape[0] as string
  return concat([expand(causal, ['B', 1, rows, 'S']), expand(hidden, ['B', 1, rows, 'P'])], 3, 'T')
}

/**
 * Grouped-query attention of new tokens to a cache and to each other: [B*S, heads * headDim].
 *
 * Written out, and not as ONNX Runtime's GroupQueryAttention, because that copies the cache once for each query head in
 * every step: a millisecond a layer at 8 rows of 200 positions. Here keys and values are read where they lie, once for the
 * query heads that share them. The new tokens come first, so that a longer cache only appends zeros to the sums and changes
 * no bit; the caller keeps S + P a multiple of 64, the stride of the softmax kernel's sums.
 */
export function attendCache(config: DecoderConfig, tokens: NewTokens, past: PastTokens, visible: Value): Value {
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
