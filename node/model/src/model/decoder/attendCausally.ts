import {
  add,
  cast,
  expand,
  lessOrEqual,
  matMul,
  range,
  reshape,
  rope,
  scale,
  softmax,
  subFrom,
  transpose,
  unsqueeze,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from './decoderConfig.ts'

/** Rotary tables [T, headDim] of some positions (see `ropeTables`), and the mask of what each may attend to. */
export interface Span {
  readonly cos: Value
  readonly sin: Value
  /** [..., G*T, S], added to the scores of the G query heads that share a key head. */
  readonly mask: Value
}

/** The positions of a batch; with `before` those after tokens that sequences share (see `attendAfterPrompt`). */
export interface Positions extends Span {
  readonly before?: readonly [beginning: Span, prompt: Span]
}

/** Queries [..., heads, headDim], keys and values [..., kvHeads, headDim] of some tokens, not yet rotated. */
export interface HeadTokens {
  readonly query: Value
  readonly key: Value
  readonly value: Value
}

/** Attention of the tokens of sequences [B, T] to themselves and those before: [B, T, heads * headDim]. */
export function attendCausally(config: DecoderConfig, { query, key, value }: HeadTokens, span: Span): Value {
  const rotated = (x: Value) => rope(headsFirst(x), span.cos, span.sin)
  const mixed = mixValues(config, rotated(query), rotated(key), headsFirst(value), span.mask)
  return reshape(headsFirst(mixed), ['B', 'T', config.heads * config.headDim])
}

export const headsFirst = (x: Value) => transpose(x, [0, 2, 1, 3])

/**
 * Values [B, kvHeads, S, headDim] in the proportions that queries [B, heads, T, headDim] ask of keys: [B, heads, T, headDim].
 *
 * The query heads that share a key head become rows of one product, so that keys and values are never repeated.
 */
export function mixValues(config: DecoderConfig, query: Value, key: Value, value: Value, mask: Value): Value {
  const { kvHeads, headDim } = config
  const [batch, , length] = query.shape
  const grouped = reshape(query, [batch ?? 'B', kvHeads, mask.shape.at(-2) ?? 'T', headDim])
  const scores = matMul(grouped, key, { transB: true, alpha: 1 / Math.sqrt(headDim) })
  const mixed = matMul(softmax(add(scores, mask)), value) // [B, kvHeads, G*T, D]
  return reshape(mixed, [batch ?? 'B', config.heads, length ?? 'T', headDim])
}

/** 0 where one of `length` positions may attend and -1e9 where not, once for each query head of a group: [G*T, T]. */
export function causalMask(group: number, like: Value, length = 'T'): Value {
  const positions = range(like, length)
  const visible = cast(lessOrEqual(unsqueeze(positions, 0), unsqueeze(positions, 1)), like.dtype)
  const mask = scale(subFrom(1, visible), -1e9)
  if (group === 1) return mask
  return reshape(expand(unsqueeze(mask, 0), [group, length, length]), [`${group}*${length}`, length])
}
