import { type Tensor, tensor } from '#engine/session.ts'
import { decoderFeeds, type ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { ropeTables } from '#model/decoder/rope.ts'
import { LEAST_TOKENS } from './gradientPass.ts'
import { type PromptTree, promptTree } from './promptTree.ts'

/** A part's rows as the layers' models take them. */
export interface LaidOut {
  /** Whether the rows are [N], those of shared tokens and then those of each sequence, and not [B, T], one row of tokens per sequence. */
  readonly afterPrompt: boolean
  /** Lengths of the models' symbolic dimensions in this part. */
  readonly lengths: Readonly<Record<string, number>>
  /** The feeds that are the same for all layers. */
  readonly shared: Readonly<Record<string, Tensor>>
}

interface Tokens {
  /** Token ids of every row. */
  readonly ids: Tensor<'i64'>
  /** [M] */
  readonly targets: Tensor
}

/** Lays sequences out: a common beginning once and then the rest of each sequence, or each sequence as a whole. */
export function layOut(config: DecoderConfig, part: readonly ScoredSequence[]): LaidOut & Tokens {
  const tree = promptTree(part)
  const { feeds } = decoderFeeds(config, part, 'f32', tree ? 0 : LEAST_TOKENS)
  const { ids, rows, targets, cos, sin } = feeds as unknown as Feeds
  const M = targets.shape[0] as number
  if (tree) return { targets, afterPrompt: true, ...treeRows(config, part, tree, M) }
  const [B, T] = ids.shape as [number, number]
  return { ids, targets, afterPrompt: false, lengths: { B, T, M }, shared: { cos, sin, rows } }
}

interface Feeds {
  readonly ids: Tensor<'i64'>
  readonly rows: Tensor<'i64'>
  readonly targets: Tensor
  readonly cos: Tensor<'f32'>
  readonly sin: Tensor<'f32'>
}

/** @param scored - M. */
function treeRows(config: DecoderConfig, part: readonly ScoredSequence[], tree: PromptTree, scored: number) {
  const { groups, prompts, beginning: R, prompt: Q, sequences: B, own: C, rows: N } = tree
  const G = groups.length
  const ids = new BigInt64Array(N)
  const put = (row: number, tokens: Int32Array) => ids.set(BigInt64Array.from(tokens, BigInt), row)
  /** First row of each sequence's own tokens, and its position. */
  const places: { row: number; position: number }[] = []
  put(0, (part[0] as ScoredSequence).tokens.subarray(0, R))
  for (const [g, group] of groups.entries()) {
    const position = prompts[g] as number
    put(R + g * Q, (part[group[0] as number] as ScoredSequence).tokens.subarray(R, position))
    for (const [b, i] of group.entries()) {
      const row = R + G * Q + (g * B + b) * C
      put(row, (part[i] as ScoredSequence).tokens.subarray(position, -1))
      places[i] = { row, position }
    }
  }
  const rows = part.flatMap(({ scored: positions }, i) => {
    const { row, position } = places[i] as { row: number; position: number }
    return Array.from(positions, at => BigInt(row + at - 1 - position))
  })
  return {
    ids: tensor('i64', ids, [N]),
    lengths: { N, R, Q, G, B, C, M: scored },
    shared: {
      ...positionTables(config, tree),
      promptMask: tensor('f32', promptMask(tree), [G * B, 1, 1, R + Q]),
      sequences: tensor('i64', new BigInt64Array(G * B), [G, B]),
      rows: tensor('i64', BigInt64Array.from(rows), [scored]),
    },
  }
}

/** -1e9 where a sequence's prompt has no token. */
function promptMask({ groups, prompts, beginning, prompt, sequences }: PromptTree): Float32Array {
  const length = beginning + prompt
  const mask = new Float32Array(groups.length * sequences * length)
  for (const [g, end] of prompts.entries())
    for (let s = g * sequences; s < (g + 1) * sequences; s++) mask.fill(-1e9, s * length + end, (s + 1) * length)
  return mask
}

/** Rotary tables of the common beginning, of prompts, and of each sequence after its prompt. */
function positionTables(config: DecoderConfig, { prompts, beginning, prompt, sequences, own }: PromptTree) {
  const { headDim } = config
  const { cos, sin } = ropeTables(config, beginning + prompt + own)
  const table = (data: Float32Array, from: number, to: number) =>
    tensor('f32', data.subarray(from * headDim, to * headDim), [to - from, headDim])
  const ofSequences = (data: Float32Array) => {
    const all = new Float32Array(prompts.length * sequences * own * headDim)
    for (const [g, from] of prompts.entries())
      for (let s = g * sequences; s < (g + 1) * sequences; s++)
        all.set(data.subarray(from * headDim, (from + own) * headDim), s * own * headDim)
    return tensor('f32', all, [prompts.length * sequences, 1, own, headDim])
  }
  return {
    beginningCos: table(cos, 0, beginning),
    beginningSin: table(sin, 0, beginning),
    promptCos: table(cos, beginning, beginning + prompt),
    promptSin: table(sin, beginning, beginning + prompt),
    cos: ofSequences(cos),
    sin: ofSequences(sin),
  }
}
