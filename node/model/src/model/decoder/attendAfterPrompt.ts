import type { Graph } from '#engine/graph.ts'
import { concat, expand, reshape, rope, split } from '#engine/tensor.ts'
import type { Dim, Value } from '#engine/value.ts'
import { causalMask, type HeadTokens, headsFirst, mixValues, type Positions, type Span } from './attendCausally.ts'
import type { DecoderConfig } from './decoderConfig.ts'

/**
 * Attention for sequences with a common beginning, of which groups share a prompt: shared tokens are computed once. The rows
 * [N, heads * headDim] are those of the R tokens of the common beginning, then those of G prompts of Q more tokens each, then those of B
 * sequences of C tokens after each prompt. Every span attends to the spans before it and to itself.
 *
 * The gradient of a shared token is the sum over the sequences, as if each had its own copy.
 *
 * @param tokens - of N = R + G*Q + G*B*C rows.
 * @see Prefix Grouper, arXiv:2506.05433.
 */
export function attendAfterPrompt(
  config: DecoderConfig,
  tokens: HeadTokens,
  own: Span,
  before: readonly [Span, Span],
): Value {
  const { headDim, heads, kvHeads } = config
  const rows = ['R', 'G*Q', 'G*B*C']
  const levels = [
    { batch: 1, each: 1, length: 'R', along: 'R', span: before[0] },
    { batch: 'G', each: 'G', length: 'Q', along: 'R+Q', span: before[1] },
    { batch: 'G*B', each: 'B', length: 'C', along: 'T', span: own },
  ] as const
  const perLevel = (x: Value, count: number) =>
    split(x, 0, rows).map((part, i) => {
      const { batch, length } = levels[i] as (typeof levels)[number]
      return headsFirst(reshape(part, [batch, length, count, headDim]))
    })
  const [queries, keys, values] = [
    perLevel(tokens.query, heads),
    perLevel(tokens.key, kvHeads),
    perLevel(tokens.value, kvHeads),
  ]
  /** Keys or values that a level reads: those of the previous level, and its own. */
  const joined = (past: Value | undefined, x: Value, { batch, each, along }: (typeof levels)[number]) =>
    past ? concat([repeated(past, each, batch), x], 2, along) : x
  let [key, value]: (Value | undefined)[] = []
  const mixed = levels.map((level, i) => {
    const rotated = (x: Value[]) => rope(x[i] as Value, level.span.cos, level.span.sin)
    key = joined(key, rotated(keys), level)
    value = joined(value, values[i] as Value, level)
    const ofLevel = mixValues(config, rotated(queries), key, value, level.span.mask)
    return reshape(headsFirst(ofLevel), [rows[i] as string, heads * headDim])
  })
  return concat(mixed, 0, 'N')
}

/** Each of [P, heads, S, headDim] `times`, one after the other: [batch, heads, S, headDim]. */
function repeated(x: Value, times: Dim, batch: Dim): Value {
  const [count, ...shape] = x.shape as [Dim, ...Dim[]]
  return reshape(expand(reshape(x, [count, 1, ...shape]), [count, times, ...shape]), [batch, ...shape])
}

/**
 * The positions of `attendAfterPrompt`, from the graph's inputs `beginningCos`, `beginningSin` [R, headDim], `promptCos`, `promptSin`
 * [Q, headDim], `cos`, `sin` [G*B, 1, C, headDim], `promptMask` [G*B, 1, 1, R+Q], which is 0 but for what a sequence's prompt lacks of Q
 * tokens, where it is -1e9, and `sequences` i64 [G, B], of which only the lengths are read.
 */
export function positionsAfterPrompt(graph: Graph, config: DecoderConfig): Positions {
  graph.input('sequences', 'i64', ['G', 'B'])
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const tables = (prefix: 'beginning' | 'prompt' | '', ...shape: Dim[]) => {
    const [cos, sin] = prefix ? [`${prefix}Cos`, `${prefix}Sin`] : ['cos', 'sin']
    const input = (name: string) => graph.input(name, graph.real, [...shape, headDim])
    return { cos: input(cos), sin: input(sin) }
  }
  const beginning = tables('beginning', 'R')
  const prompt = tables('prompt', 'Q')
  const own = tables('', 'G*B', 1, 'C')
  const promptMask = graph.input('promptMask', graph.real, ['G*B', 1, 1, 'R+Q'])
  const amongPrompt = causalMask(group, prompt.cos, 'Q')
  const amongOwn = causalMask(group, own.cos, 'C')
  const [promptRows, ownRows] = [amongPrompt, amongOwn].map(mask => mask.shape[0] as Dim) as [Dim, Dim]
  const perSequence = (mask: Value, columns: Dim) => expand(mask, ['G*B', 1, ownRows, columns])
  return {
    ...own,
    mask: concat([perSequence(promptMask, 'R+Q'), perSequence(amongOwn, 'C')], 3, 'T'),
    before: [
      { ...beginning, mask: causalMask(group, beginning.cos, 'R') },
      { ...prompt, mask: concat([expand(graph.scalar(0), [promptRows, 'R']), amongPrompt], 1, 'R+Q') },
    ],
  }
}
