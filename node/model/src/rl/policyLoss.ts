import { GraphError } from '#engine/engineError.ts'
import {
  add,
  addScalar,
  clip,
  exp,
  gather,
  matMul,
  min,
  mul,
  neg,
  reshape,
  scale,
  sub,
  sumOver,
} from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'

/** Weighted negative log-likelihood: the sum over M of -weights * logprobs. Both are [M]; the result is a scalar. */
export function crossEntropyLoss(logprobs: Value, weights: Value): Value {
  return neg(sumOver(mul(logprobs, weights)))
}

export interface PolicyLossInputs {
  /** [M] of each completion token under the policy that is trained. */
  readonly logprobs: Value
  /** [M] of the same tokens under the policy before the update. */
  readonly oldLogprobs: Value
  /** [M]: the advantage of the token's completion, times its importance weight (see `importanceWeights`). */
  readonly advantages: Value
  /** [M]: each token's share of the loss (see `tokenWeights`). */
  readonly weights: Value
  /** [M] under a fixed reference policy, for the KL penalty. */
  readonly referenceLogprobs?: Value
  /** [S, M]: row s takes the mean over the tokens of completion s. For ratios of sequences. */
  readonly sequenceMeans?: Value
  /** i64 [M]: the completion of each token. For ratios of sequences. */
  readonly sequences?: Value
}

export interface PolicyLossOptions {
  /** The ratio's lower bound is 1 - clipLow; 0.2 for tokens (PPO, arXiv:1707.06347 section 3), 3e-4 for sequences. */
  readonly clipLow: number
  /** The ratio's upper bound is 1 + clipHigh; 0.28, wider so that unlikely tokens can grow (arXiv:2503.14476 section 3.1). */
  readonly clipHigh: number
  /**
   * The ratio is cut to it before anything else, so that a token of negative advantage is bounded too, whose ratio `clipHigh` leaves
   * free; above 1 + clipHigh, by TRL's name (two-sided GRPO, INTELLECT-2, arXiv:2505.07291 section 3.4). No bound by default.
   */
  readonly delta?: number
  /** Weight of the KL penalty; 0 for none. */
  readonly klBeta: number
  /**
   * Level of the ratio: each token, the default, or each completion, by the geometric mean of its tokens' ratios (GSPO,
   * arXiv:2507.18071 section 4).
   */
  readonly importanceSamplingLevel?: 'token' | 'sequence'
  /**
   * Weight the KL estimate by the ratio, so that it stays unbiased once the policy has moved from the one that sampled; true,
   * as in TRL (DeepSeek-V3.2, arXiv:2512.02556 section 3.1).
   */
  readonly useBiasCorrectionKl?: boolean
}

/**
 * Clipped policy-gradient loss, summed over tokens by their weights:
 * -min(ratio A, clip(ratio, 1 - clipLow, 1 + clipHigh) A) + klBeta ratio (r - log r - 1), where ratio = exp(logprob - old)
 * and log r = reference - logprob. With `delta` the ratio is at most that.
 *
 * GRPO, Dr. GRPO, DAPO and GSPO are this one loss: they differ in the weights, the advantages and the level of the ratio.
 *
 * @throws {GraphError} if ratios of sequences are asked for without the sequences.
 * @see GRPO, arXiv:2402.03300 equation 3; the KL estimator, equation 4 there.
 */
export function policyLoss(inputs: PolicyLossInputs, options: PolicyLossOptions): Value {
  const { advantages, weights, logprobs, referenceLogprobs } = inputs
  const free = exp(logRatio(inputs, options))
  const ratio = options.delta === undefined ? free : clip(free, 0, options.delta)
  const clipped = clip(ratio, 1 - options.clipLow, 1 + options.clipHigh)
  let loss = neg(min(mul(ratio, advantages), mul(clipped, advantages)))
  if (referenceLogprobs && options.klBeta > 0) {
    const difference = sub(referenceLogprobs, logprobs)
    const kl = addScalar(sub(exp(difference), difference), -1)
    loss = add(loss, scale(options.useBiasCorrectionKl === false ? kl : mul(kl, ratio), options.klBeta))
  }
  return sumOver(mul(loss, weights))
}

/** [M]: logprob - old of each token, or its mean over the token's completion. */
function logRatio(inputs: PolicyLossInputs, { importanceSamplingLevel = 'token' }: PolicyLossOptions): Value {
  const { logprobs, oldLogprobs, sequenceMeans, sequences } = inputs
  const byToken = sub(logprobs, oldLogprobs)
  if (importanceSamplingLevel === 'token') return byToken
  if (!sequenceMeans || !sequences) throw new GraphError('ratios of sequences need the sequences')
  const means = matMul(sequenceMeans, reshape(byToken, ['M', 1])) // [S, 1]
  return reshape(gather(means, sequences, 0), ['M'])
}
