import {
  argMax,
  cast,
  cumSum,
  expand,
  gatherElements,
  gatherND,
  greater,
  log,
  logSoftmax,
  max,
  maxOver,
  min,
  mul,
  reshape,
  scale,
  slice,
  softmax,
  squeeze,
  sub,
  sumOver,
  topK,
  where,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'

/** Vocabularies up to this are drawn from whole; larger ones in two steps, in blocks of `BLOCK` tokens. */
const FLAT_VOCABULARY = 4096
const BLOCK = 128

/** How a vocabulary is cut into blocks; null where it is drawn from whole. */
export function blocksOf(vocabSize: number): { readonly count: number; readonly size: number } | null {
  return vocabSize <= FLAT_VOCABULARY || vocabSize % BLOCK ? null : { count: vocabSize / BLOCK, size: BLOCK }
}

/** Of the vocabulary at most, in `likelyTokens`: 0.7 % of Qwen's. */
const LIKELY = 1024

/**
 * What top-p needs of probabilities [L, V] that stay on a device: the largest, `likely` [L, K] with the largest first, `likelyTokens` i64 [L, K], and
 * the sum of all, `mass` [L, 1]. See `drawFromLikely`.
 */
export function likelyTokens(probabilities: Value): Record<'likely' | 'likelyTokens' | 'mass', Value> {
  const vocabSize = probabilities.shape[1] as number
  const [likely, tokens] = topK(probabilities, Math.min(LIKELY, vocabSize))
  const blocks = blocksOf(vocabSize)
  const parts = blocks ? sumOver(reshape(probabilities, ['L', blocks.count, blocks.size]), [2]) : probabilities
  return { likely, likelyTokens: tokens, mass: sumOver(parts, [1], true) }
}

/** Numbers that an element-by-element kernel takes at a time, or a multiple of them. */
const KERNEL_NUMBERS = 16

/**
 * One token a row by the inverse of its cumulative distribution: the first token whose running sum of probabilities passes
 * the row's uniform. One random number a token, where Gumbel's trick asks for one a token and vocabulary entry.
 *
 * @param logits - [L, V].
 * @returns `token` i64 [L]; `logprob` [L] under the softmax of the scaled logits; `probabilities` [L, V], that softmax. Inputs: see `buildGenerationModel`.
 */
export function drawToken(config: DecoderConfig, logits: Value): Record<'token' | 'logprob' | 'probabilities', Value> {
  const graph = logits.graph
  const uniforms = graph.input('uniforms', 'f32', ['L', 1])
  const greedy = graph.input('greedy', 'bool', [])
  const scaled = mul(logits, graph.input('inverseTemperature', 'f32', []))
  const probabilities = softmax(scaled)
  const draw = blocksOf(config.vocabSize) === null ? drawFlat : drawBlocks
  const { token, logprob } = draw(scaled, probabilities, uniforms, greedy)
  return { token: squeeze(token, -1), logprob: squeeze(logprob, -1), probabilities }
}

function drawFlat(scaled: Value, probabilities: Value, uniforms: Value, greedy: Value) {
  const running = cumSum(probabilities, -1)
  const size = scaled.shape[1] as number
  const isAbove = greater(running, mul(uniforms, slice(running, -1, size - 1, size)))
  const token = bestOrFirst(greedy, scaled, isAbove) // (L, 1)
  return { token, logprob: gatherElements(logSoftmax(scaled), token, -1) }
}

/** The block by the running sums of blocks, then the token by those within it: four passes over the vocabulary and no more. */
function drawBlocks(scaled: Value, all: Value, uniforms: Value, greedy: Value) {
  const graph = scaled.graph
  const blocks = (scaled.shape[1] as number) / BLOCK
  const probabilities = reshape(all, ['L', blocks, BLOCK])
  const sums = sumOver(probabilities, [2]) // (L, blocks)
  const running = cumSum(sums, -1)
  const target = mul(uniforms, slice(running, -1, blocks - 1, blocks))
  const block = bestOrFirst(greedy, maxOver(probabilities, 2), greater(running, target)) // (L, 1)
  const within = gatherND(probabilities, block, 1) // (L, BLOCK)
  const runningWithin = cumSum(within, -1)
  const before = sub(gatherElements(running, block, -1), gatherElements(sums, block, -1))
  // Rounding may put the target just outside the block: it is brought back, so that some token passes it.
  const most = scale(slice(runningWithin, -1, BLOCK - 1, BLOCK), 1 - 2 ** -22)
  const rest = max(min(sub(target, before), most), graph.scalar(0))
  const offset = bestOrFirst(greedy, within, greater(runningWithin, rest)) // (L, 1)
  const token = graph.apply1('Add', [mul(block, graph.scalar(BLOCK, 'i64')), offset])
  // A logarithm is computed otherwise where fewer numbers are left than its kernel takes at a time, so each row fills one.
  const probability = expand(gatherElements(within, offset, -1), ['L', KERNEL_NUMBERS])
  return { token, logprob: slice(log(probability), -1, 0, 1) }
}

/**
 * Index [L, 1] of each row's largest score where it is greedy, else of its first element above a threshold. The choice is between
 * what is searched and not between two indices, which GPUs do not compute with.
 */
const bestOrFirst = (greedy: Value, scores: Value, isAbove: Value) =>
  argMax(where(greedy, scores, cast(isAbove, 'f32')), -1, true)
