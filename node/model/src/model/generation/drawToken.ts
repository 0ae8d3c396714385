import {
  argMax,
  expand,
  gatherElements,
  log,
  mul,
  reshape,
  slice,
  softmax,
  squeeze,
  sumOver,
  topK,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'

/** Vocabularies up to this are summed whole; larger ones in two steps, in blocks of `BLOCK` tokens. */
const FLAT_VOCABULARY = 4096
const BLOCK = 128

/** How a vocabulary is cut into blocks; null if it is summed whole. */
function blocksOf(vocabSize: number): { readonly count: number; readonly size: number } | null {
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
 * What tokens are drawn by: the likeliest in each row, or by the caller from the probabilities.
 *
 * @param logits - [L, V].
 * @returns `token` i64 [L], the likeliest; its `logprob` [L] under the softmax of the scaled logits; `probabilities` [L, V], that softmax. Inputs: see
 *   `buildGenerationModel`.
 */
export function drawToken(logits: Value): Record<'token' | 'logprob' | 'probabilities', Value> {
  const scaled = mul(logits, logits.graph.input('inverseTemperature', 'f32', []))
  const probabilities = softmax(scaled)
  const token = argMax(scaled, -1, true) // (L, 1)
  // A logarithm is computed otherwise where fewer numbers are left than its kernel takes at a time, so each row fills one.
  const probability = expand(gatherElements(probabilities, token, -1), ['L', KERNEL_NUMBERS])
  const logprob = slice(log(probability), -1, 0, 1)
  return { token: squeeze(token, -1), logprob: squeeze(logprob, -1), probabilities }
}
