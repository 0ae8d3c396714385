import type { Graph } from '#engine/graph.ts'
import { concat, expand, reshape, rope, split } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { causalMask, type HeadTokens, headsFirst, mixValues, type Positions, type Span } from './attendCausally.ts'
import type { DecoderConfig } from './decoderConfig.ts'

/**
 * Attention where all sequences begin with the same prompt, whose P tokens are computed once: [N, heads * headDim], the prompt's
 * rows and then those of B sequences of C tokens each. The prompt attends to itself, and every sequence to the prompt and to itself.
 *
 * What a prompt's token adds to the gradients is the sum over the sequences, as if each had its own copy.
 *
 * @param tokens - of N = P + B*C rows.
 * @see Prefix Grouper, arXiv:2506.05433.
 */
export function attendAfterPrompt(config: DecoderConfig, tokens: HeadTokens, own: Span, prompt: Span): Value {
  const { headDim } = config
  const parts = (x: Value, heads: number) => {
    const [first, rest] = split(x, 0, ['P', 'B*C']) as [Value, Value]
    return {
      first: headsFirst(reshape(first, [1, 'P', heads, headDim])),
      rest: headsFirst(reshape(rest, ['B', 'C', heads, headDim])),
    }
  }
  const rotated = (x: Value, heads: number) => {
    const { first, rest } = parts(x, heads)
    return { first: rope(first, prompt.cos, prompt.sin), rest: rope(rest, own.cos, own.sin) }
  }
  const query = rotated(tokens.query, config.heads)
  const key = rotated(tokens.key, config.kvHeads)
  const value = parts(tokens.value, config.kvHeads)
  const whole = ({ first, rest }: typeof key) =>
    concat([expand(first, ['B', config.kvHeads, 'P', headDim]), rest], 2, 'T') // [B, kvHeads, P+C, D]
  const inPrompt = mixValues(config, query.first, key.first, value.first, prompt.mask)
  const after = mixValues(config, query.rest, whole(key), whole(value), own.mask)
  const rows = (x: Value, count: string) => reshape(headsFirst(x), [count, config.heads * headDim])
  return concat([rows(inPrompt, 'P'), rows(after, 'B*C')], 0, 'N')
}

/**
 * The positions of `attendAfterPrompt`, from the graph's inputs `promptCos`, `promptSin` [P, headDim], `cos`, `sin` [C, headDim] and
 * `sequences` i64 [B], of which only the length is read.
 */
export function positionsAfterPrompt(graph: Graph, config: DecoderConfig): Positions {
  graph.input('sequences', 'i64', ['B'])
  const group = config.heads / config.kvHeads
  const tables = (cos: string, sin: string, length: string) => ({
    cos: graph.input(cos, graph.real, [length, headDim]),
    sin: graph.input(sin, graph.real, [length, headDim]),
  })
  const { headDim } = config
  const prompt = tables('promptCos', 'promptSin', 'P')
  const own = tables('cos', 'sin', 'C')
  const among = causalMask(group, own.cos, 'C') // [G*C, C]
  const open = expand(graph.scalar(0), [among.shape[0] ?? 'C', 'P'])
  return {
    ...own,
    mask: concat([open, among], 1, 'T'),
    prompt: { ...prompt, mask: causalMask(group, prompt.cos, 'P') },
  }
}
