import type { ScoredSequence } from '#model/decoder/batch.ts'
import { TrainerError } from '../trainerError.ts'
import type { PolicyLossOptions } from './trainingGraphs.ts'

/** A completion to learn from its advantage. */
export interface PolicySequence extends ScoredSequence {
  /** [scored.length] under the policy before the update; by default the step computes them. */
  readonly oldLogprobs?: Float32Array
  readonly advantage: number
  /** [scored.length] under the reference policy; needed when klBeta > 0, unless an adapter is trained. */
  readonly referenceLogprobs?: Float32Array
  /** [scored.length] under the policy that sampled it, if it is another one: its tokens get importance weights. */
  readonly samplingLogprobs?: Float32Array
  /** Whether it was cut at the limit of its length; see `maskTruncatedCompletions`. */
  readonly truncated?: boolean
  /** As how much of a token each of its tokens counts in a mean over the tokens of a batch (`dapo`, `bnpo`); 1. */
  readonly tokenShare?: number
}

export interface PolicyBatchOptions extends PolicyLossOptions, TokenWeightsOptions, ImportanceWeightsOptions {
  /**
   * Leave truncated completions out of the loss, since their reward says nothing of how they would have ended; false
   * (arXiv:2503.14476 section 3.4).
   */
  readonly maskTruncatedCompletions?: boolean
}

/** One number per scored token for each input of a loss, by the input's name. */
export type PerToken = Readonly<Record<string, Float32Array>>

/** A sequence with the inputs of its loss. */
export interface LossTarget extends ScoredSequence {
  readonly perToken: PerToken
  /** Computes the replacement of `perToken` from the log-probabilities of the trained policy, [scored.length]. */
  readonly perTokenOf?: (logprobs: Float32Array) => PerToken
}

/**
 * The loss targets of a batch of completions. Masked completions are counted, then left out.
 *
 * @param computed - called with the computed log-probabilities before the update, by index, for completions that came without them.
 * @throws {TrainerError} if the length of an array differs from the number of scored tokens, or a reference is missing.
 */
export function policyTargets(
  batch: readonly PolicySequence[],
  options: PolicyBatchOptions,
  computed: (index: number, logprobs: Float32Array) => void = () => {},
): LossTarget[] {
  const isMasked = (s: PolicySequence) => options.maskTruncatedCompletions === true && s.truncated === true
  const lengths = batch.map(s => ({ tokens: isMasked(s) ? 0 : s.scored.length, share: s.tokenShare ?? 1 }))
  const weights = tokenWeights(lengths, options)
  return batch.flatMap((sequence, i) => {
    if (isMasked(sequence) || sequence.scored.length === 0) return []
    const { tokens, scored, oldLogprobs, samplingLogprobs } = sequence
    if (samplingLogprobs) requireEach(samplingLogprobs, scored)
    const constant = (x: number) => new Float32Array(scored.length).fill(x)
    const reference = options.klBeta > 0 ? { referenceLogprobs: referenceOf(sequence) } : {}
    const perTokenOf = (old: Float32Array): PerToken => {
      const advantages = tokenAdvantages(sequence, old, options)
      return { weights: constant(weights[i] as number), advantages, oldLogprobs: old, ...reference }
    }
    const target = checkedTarget({ tokens, scored, perToken: perTokenOf(oldLogprobs ?? constant(0)) })
    if (oldLogprobs) return [target]
    const perTokenLater = (own: Float32Array) => {
      computed(i, own)
      return perTokenOf(own)
    }
    return [{ ...target, perTokenOf: perTokenLater }]
  })
}

/** The advantage of each token of a completion, times its importance weight. @param old - [scored.length] under the policy before the update. */
export function tokenAdvantages(
  { scored, advantage, samplingLogprobs }: PolicySequence,
  old: Float32Array,
  options: ImportanceWeightsOptions,
): Float32Array {
  if (!samplingLogprobs) return new Float32Array(scored.length).fill(advantage)
  return importanceWeights(old, samplingLogprobs, advantage, options).map(weight => weight * advantage)
}

/** @throws {TrainerError} if the length of an array differs from the number of scored tokens. */
export function checkedTarget(target: LossTarget): LossTarget {
  for (const values of Object.values(target.perToken)) requireEach(values, target.scored)
  return target
}

function requireEach(values: Float32Array, scored: Int32Array): void {
  if (values.length === scored.length) return
  throw new TrainerError(`${values.length} values for ${scored.length} scored tokens`, {
    hint: 'Give one weight or log-probability for each scored token.',
  })
}

function referenceOf({ referenceLogprobs }: PolicySequence): Float32Array {
  if (referenceLogprobs) return referenceLogprobs
  throw new TrainerError('a KL penalty needs the log-probabilities of a reference policy', {
    hint: 'Set klBeta to 0, or give referenceLogprobs with every sequence.',
  })
}

interface ImportanceWeightsOptions {
  /** Each token's own ratio, the default, or the product over its completion; by TRL's names. */
  readonly importanceSamplingMode?: 'token_truncate' | 'sequence_truncate'
  /** Upper bound of ratios, which limits their variance; 2. */
  readonly importanceSamplingCap?: number
  /**
   * Lower bound of the weights of positive advantages, below the cap; 0. What the trained policy hardly draws has a ratio near 0, so that without a
   * floor little is learned from a sampler that is better. TOPR weighs all positive advantages by 1 (arXiv:2503.14286 section 2).
   */
  readonly importanceSamplingFloor?: number
  /** The floor is for completions of at most so many nats a token, on average, under the trained policy; no limit. */
  readonly importanceSamplingFloorNats?: number
  /**
   * Leave a token of negative advantage out where the weight of its alternatives would be truncated, (1 - old) / (1 - sampling) > cap in
   * probabilities; false. The trained policy would draw these alternatives far more often than the sampler did. Without their part of the gradient
   * the token becomes less likely, whether or not they are worse.
   */
  readonly maskTruncatedAlternatives?: boolean
}

/**
 * Truncated importance weights of a completion that another policy sampled: min(exp(old - sampling), cap). Except for the truncation, they make
 * the expected gradient over the other policy's samples equal to that over the trained policy's. Positive advantages weigh no less than
 * `importanceSamplingFloor`; masked tokens have 0, see `maskTruncatedAlternatives`.
 *
 * @param oldLogprobs - [tokens] under the trained policy before the update.
 * @param samplingLogprobs - [tokens] under the policy that sampled.
 * @param advantage - of the completion.
 * @returns [tokens].
 * @see Ionides, Truncated Importance Sampling, 2008; Yao et al., Your Efficient RL Framework Secretly Brings You Off-Policy
 *   RL Training, 2025, https://fengyao.notion.site/off-policy-rl.
 */
function importanceWeights(
  oldLogprobs: Float32Array,
  samplingLogprobs: Float32Array,
  advantage: number,
  options: ImportanceWeightsOptions,
): Float32Array {
  const { importanceSamplingMode = 'token_truncate', importanceSamplingCap: cap = 2 } = options
  const floor = advantage > 0 ? floorFor(oldLogprobs, options) : 0
  const truncated = (logRatio: number) => Math.min(Math.max(Math.exp(logRatio), floor), cap)
  const byToken = oldLogprobs.map((logprob, i) => logprob - (samplingLogprobs[i] as number))
  const weights =
    importanceSamplingMode === 'token_truncate'
      ? byToken.map(truncated)
      : byToken.fill(truncated(byToken.reduce((a, b) => a + b, 0)))
  if (!options.maskTruncatedAlternatives || advantage >= 0) return weights
  const isMasked = (i: number) =>
    alternatives(oldLogprobs[i] as number) > cap * alternatives(samplingLogprobs[i] as number)
  return weights.map((weight, i) => (isMasked(i) ? 0 : weight))
}

function floorFor(logprobs: Float32Array, options: ImportanceWeightsOptions): number {
  const { importanceSamplingFloor = 0, importanceSamplingFloorNats = Number.POSITIVE_INFINITY } = options
  const nats = -logprobs.reduce((a, b) => a + b, 0) / logprobs.length
  return nats <= importanceSamplingFloorNats ? importanceSamplingFloor : 0
}

/** Probability of all other tokens. */
const alternatives = (logprob: number) => -Math.expm1(logprob)

/**
 * How the losses of a batch's tokens become one number, by TRL's names.
 *
 * - `grpo`: the mean over completions of the mean over their tokens (arXiv:2402.03300 equation 3). A long completion's token
 *   counts less, so long wrong answers are favoured.
 * - `dapo`, `bnpo`: the mean over all tokens of the batch (DAPO, arXiv:2503.14476 section 3.3). TRL's two differ where a step is
 *   accumulated from several batches; here the mean is always over the whole step, as TRL's `dapo` has it.
 * - `dr_grpo`: the sum over tokens divided by the largest possible number of tokens, completions times `maxCompletionLength`
 *   (arXiv:2503.20783 section 3): no length is favoured.
 */
type LossType = 'grpo' | 'dapo' | 'bnpo' | 'dr_grpo'

interface TokenWeightsOptions {
  /** `dapo` by default. */
  readonly lossType?: LossType
  /** Maximum of tokens of a completion; for `dr_grpo`. */
  readonly maxCompletionLength?: number
}

/**
 * The weight of each completion's tokens in the loss of a batch.
 *
 * @param lengths - tokens of each completion that count, and `tokenShare`; 0 tokens for one that is masked, which still counts as a completion.
 * @returns one weight for each completion, the same for all its tokens.
 * @throws {TrainerError} if `dr_grpo` has no `maxCompletionLength`.
 */
function tokenWeights(
  lengths: readonly { readonly tokens: number; readonly share: number }[],
  { lossType = 'dapo', maxCompletionLength }: TokenWeightsOptions = {},
): number[] {
  const total = lengths.reduce((sum, { tokens, share }) => sum + tokens * share, 0)
  switch (lossType) {
    case 'grpo':
      return lengths.map(({ tokens }) => 1 / (Math.max(tokens, 1) * lengths.length))
    case 'dapo':
    case 'bnpo':
      return lengths.map(({ share }) => share / Math.max(total, 1))
    case 'dr_grpo':
      if (!maxCompletionLength) {
        throw new TrainerError('dr_grpo divides by the longest possible completion, which is not given', {
          hint: 'Give maxCompletionLength, the limit of new tokens in generation.',
        })
      }
      return lengths.map(() => 1 / (lengths.length * maxCompletionLength))
  }
}
