import type { Value } from '#engine/graph.ts'
import { add, addScalar, clip, exp, min, mul, neg, scale, sub, sumOver } from '#engine/tensor.ts'

/** Weighted negative log-likelihood: the sum over M of -weights * logprobs. Both are [M]; the result is a scalar. */
export function crossEntropyLoss(logprobs: Value, weights: Value): Value {
  return neg(sumOver(mul(logprobs, weights)))
}

export interface PolicyLossInputs {
  /** [M] of each completion token under the policy that is trained. */
  readonly logprobs: Value
  /** [M] of the same tokens under the policy that generated them. */
  readonly oldLogprobs: Value
  /** [M]: the advantage of the token's completion. */
  readonly advantages: Value
  /** [M]: 1 / (number of tokens) for a mean over tokens. */
  readonly weights: Value
  /** [M] under a fixed reference policy, for the KL penalty. */
  readonly referenceLogprobs?: Value
}

export interface PolicyLossOptions {
  /** The ratio's lower bound is 1 - clipLow; 0.2. */
  readonly clipLow: number
  /** The ratio's upper bound is 1 + clipHigh; 0.28, wider so that unlikely tokens can grow (arXiv:2503.14476). */
  readonly clipHigh: number
  /** Weight of the KL penalty; 0 for none. */
  readonly klBeta: number
}

/**
 * Clipped policy-gradient loss, the mean over tokens:
 * -min(ratio A, clip(ratio, 1 - clipLow, 1 + clipHigh) A) + klBeta (r - log r - 1), where ratio = exp(logprob - old)
 * and log r = reference - logprob.
 *
 * The mean is over all tokens of the batch, not first within a completion: that would favour long wrong answers.
 *
 * @see GRPO, arXiv:2402.03300 equation 3; token mean and clip-higher from DAPO, arXiv:2503.14476 section 3.
 */
export function policyLoss(inputs: PolicyLossInputs, options: PolicyLossOptions): Value {
  const { logprobs, oldLogprobs, advantages, weights, referenceLogprobs } = inputs
  const ratio = exp(sub(logprobs, oldLogprobs))
  const clipped = clip(ratio, 1 - options.clipLow, 1 + options.clipHigh)
  let loss = neg(min(mul(ratio, advantages), mul(clipped, advantages)))
  if (referenceLogprobs && options.klBeta > 0) {
    const difference = sub(referenceLogprobs, logprobs)
    loss = add(loss, scale(addScalar(sub(exp(difference), difference), -1), options.klBeta))
  }
  return sumOver(mul(loss, weights))
}
