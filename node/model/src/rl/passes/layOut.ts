import { type Tensor, tensor } from '#engine/session.ts'
import { decoderFeeds, type ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { LEAST_TOKENS } from './gradientPass.ts'
import { sharedPromptLength } from './sharedPrompt.ts'

/** A part's rows as the layers' models take them. */
export interface LaidOut {
  /** Whether the rows are a shared prompt's and then those of the sequences after it, [N], and not sequences [B, T]. */
  readonly afterPrompt: boolean
  /** What the dimensions of the models are in this part. */
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

/** Lays sequences out: a prompt that all share once and then what follows it in each, or else each as it is. */
export function layOut(config: DecoderConfig, part: readonly ScoredSequence[]): LaidOut & Tokens {
  const prompt = sharedPromptLength(part)
  const length = Math.max(...part.map(({ tokens }) => tokens.length)) - 1
  const least = prompt === 0 ? LEAST_TOKENS : Math.ceil((LEAST_TOKENS - prompt) / (length - prompt)) * length
  const { feeds } = decoderFeeds(config, part, 'f32', least)
  const { ids, rows, targets, cos, sin } = feeds as unknown as Feeds
  const [B, T] = ids.shape as [number, number]
  const M = targets.shape[0] as number
  if (prompt === 0) return { ids, targets, afterPrompt: false, lengths: { B, T, M }, shared: { cos, sin, rows } }
  const C = T - prompt
  const lengths = { N: prompt + B * C, P: prompt, B, C, M }
  const ownRow = (row: number) => prompt + Math.floor(row / T) * C + (row % T) - prompt
  const all = new BigInt64Array(lengths.N)
  all.set(ids.data.subarray(0, prompt))
  for (let b = 0; b < B; b++) all.set(ids.data.subarray(b * T + prompt, (b + 1) * T), prompt + b * C)
  const table = ({ data }: Tensor<'f32'>, from: number, to: number) =>
    tensor('f32', data.subarray(from * config.headDim, to * config.headDim), [to - from, config.headDim])
  const shared = {
    cos: table(cos, prompt, T),
    sin: table(sin, prompt, T),
    promptCos: table(cos, 0, prompt),
    promptSin: table(sin, 0, prompt),
    sequences: tensor('i64', new BigInt64Array(B), [B]),
    rows: tensor(
      'i64',
      rows.data.map(row => BigInt(ownRow(Number(row)))),
      [M],
    ),
  }
  return { ids: tensor('i64', all, [lengths.N]), targets, afterPrompt: true, lengths, shared }
}

interface Feeds {
  readonly ids: Tensor<'i64'>
  readonly rows: Tensor<'i64'>
  readonly targets: Tensor
  readonly cos: Tensor<'f32'>
  readonly sin: Tensor<'f32'>
}
