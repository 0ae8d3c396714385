import type { RandomStream } from '#base/random.ts'
import { type Tensor, tensor } from '#engine/session.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { ropeTables } from './rope.ts'

/** Tokens, and which of them are scored: those with `positions` true, from the second on. */
export interface ScoredSequence {
  readonly tokens: Int32Array
  /** Indices into `tokens`, ascending, each >= 1: token i is scored given tokens 0 … i - 1. */
  readonly scored: Int32Array
}

/** Feeds of a `tokenScores` graph, less the weights. */
export interface DecoderFeeds {
  readonly feeds: Record<string, Tensor>
  /** Scored positions, M, in the order of the sequences. */
  readonly scored: number
  /** B * T, padding included. */
  readonly paddedTokens: number
}

/**
 * Pads sequences on the right into the feeds of a `tokenScores` graph. The last token of a sequence is a target only and
 * is never fed.
 *
 * @param leastTokens - B * T at least, by sequences of zeros of which nothing is scored.
 * @throws {ModelInputError} on a token outside the vocabulary, a sequence too long for the model, positions that do not ascend, or nothing to score.
 */
export function decoderFeeds(
  config: DecoderConfig,
  sequences: readonly ScoredSequence[],
  real: 'f32' | 'f64' = 'f32',
  leastTokens = 0,
): DecoderFeeds {
  const length = Math.max(...sequences.map(s => s.tokens.length)) - 1
  const scored = sequences.reduce((n, s) => n + s.scored.length, 0)
  if (scored === 0) throw refuse('no token of the batch is scored')
  if (length > config.maxPositions) throw refuse(`${length} tokens for a model of ${config.maxPositions} positions`)
  const batch = Math.max(sequences.length, Math.ceil(leastTokens / length))
  const ids = new BigInt64Array(batch * length)
  const [rows, targets] = [new BigInt64Array(scored), new BigInt64Array(scored)]
  let m = 0
  for (const [b, { tokens, scored: positions }] of sequences.entries()) {
    for (const [t, token] of tokens.entries()) {
      if (token < 0 || token >= config.vocabSize) throw refuse(`token ${token} in a vocabulary of ${config.vocabSize}`)
      if (t < tokens.length - 1) ids[b * length + t] = BigInt(token)
    }
    for (const [i, position] of positions.entries()) {
      if (position < 1 || position >= tokens.length) throw refuse(`position ${position} of ${tokens.length} tokens`)
      if (position < (positions[i - 1] ?? 1)) throw refuse(`position ${position} is scored after ${positions[i - 1]}`)
      rows[m] = BigInt(b * length + position - 1)
      targets[m++] = BigInt(tokens[position] as number)
    }
  }
  const { cos, sin } = ropeTables(config, length)
  const feeds = {
    ids: tensor('i64', ids, [batch, length]),
    rows: tensor('i64', rows, [scored]),
    targets: tensor('i64', targets, [scored]),
    cos: realTensor(real, cos, [length, config.headDim]),
    sin: realTensor(real, sin, [length, config.headDim]),
  }
  return { feeds, scored, paddedTokens: batch * length }
}

/** A float tensor in the graph's real type. */
export function realTensor(real: 'f32' | 'f64', data: ArrayLike<number>, shape: readonly number[]): Tensor {
  if (real === 'f64') return tensor('f64', data instanceof Float64Array ? data : Float64Array.from(data), shape)
  return tensor('f32', data instanceof Float32Array ? data : Float32Array.from(data), shape)
}

/**
 * Splits sequences, ordered by length, into batches of at most `maxTokens` padded tokens, so that little is padding.
 *
 * @returns batches of indices into `lengths`; a sequence longer than `maxTokens` has its own batch.
 */
export function lengthBatches(lengths: readonly number[], maxTokens: number): number[][] {
  const order = lengths.map((_, i) => i).sort((a, b) => (lengths[a] as number) - (lengths[b] as number) || a - b)
  const batches: number[][] = []
  let batch: number[] = []
  for (const i of order) {
    if (batch.length > 0 && (batch.length + 1) * (lengths[i] as number) > maxTokens) {
      batches.push(batch)
      batch = []
    }
    batch.push(i)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/**
 * Shuffled training batches whose members are of similar length: sorted within windows of 16 batches, batches shuffled.
 *
 * @returns batches of `size` indices into `lengths`, the last of a window perhaps fewer; every index once.
 */
export function shuffledBatches(lengths: readonly number[], size: number, random: RandomStream): number[][] {
  const order = shuffle(
    lengths.map((_, i) => i),
    random,
  )
  const batches: number[][] = []
  for (let start = 0; start < order.length; start += 16 * size) {
    const window = order.slice(start, start + 16 * size)
    window.sort((a, b) => (lengths[a] as number) - (lengths[b] as number))
    for (let i = 0; i < window.length; i += size) batches.push(window.slice(i, i + size))
  }
  return shuffle(batches, random)
}

function shuffle<T>(items: T[], random: RandomStream): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[items[i], items[j]] = [items[j] as T, items[i] as T]
  }
  return items
}

const refuse = (message: string) =>
  new ModelInputError(message, { hint: 'Check that the tokens come from this model’s tokenizer and fit its length.' })
