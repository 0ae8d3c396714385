import { reshape } from './tensor.ts'
import type { Value } from './value.ts'

/** A cache of keys and values [B, kvHeads, P, D], with the places of its rows. */
export interface AttendedCache {
  readonly key: Value
  readonly value: Value
  readonly lastPlace: Value
  readonly filled: Value
}

/**
 * Grouped-query attention over a cache that it appends to: [B, S, heads * D], and the cache.
 *
 * @param projected - queries, keys and values, each [B, S, its heads * D], or all three concatenated.
 * @param rotary - tables [R, D / 2], if queries and keys are rotated here.
 */
export function groupedAttention(
  projected: readonly [Value] | readonly [Value, Value, Value],
  cache: AttendedCache,
  heads: number,
  rotary: { readonly cos: Value; readonly sin: Value } | null,
) {
  const [query, key = null, value = null] = projected
  const [kvHeads, headDim] = [cache.key.shape[1], cache.key.shape[3]] as [number, number]
  const inputs = [query, key, value, cache.key, cache.value, cache.lastPlace, cache.filled]
  const attributes = { num_heads: heads, kv_num_heads: kvHeads, do_rotary: rotary ? 1 : 0 }
  const [mixed, keys, values] = query.graph.apply(
    'GroupedAttention',
    rotary ? [...inputs, rotary.cos, rotary.sin] : inputs,
    { ...attributes, scale: { float: 1 / Math.sqrt(headDim) } },
  ) as [Value, Value, Value]
  return { mixed, key: keys, value: values }
}

/** A table [n, ...] with rows [N, ...] instead of those of ids i64 [N]. */
export const putRows = (table: Value, ids: Value, rows: Value) =>
  table.graph.apply1('PutRows', [table, reshape(ids, [...ids.shape, 1]), rows])
