/**
 * How far a policy moved from the one that it was, in nats a token: the mean over tokens of r - log r - 1, where r = after / before.
 * It is at least 0, and an unbiased estimate of KL(before || after) where the tokens are samples of the policy before; of tokens
 * that others chose it still grows with every change of their probability.
 *
 * @param before - [tokens] of each completion: log-probabilities before.
 * @param after - of the same tokens.
 * @returns infinite or NaN where a log-probability is.
 * @see Schulman, Approximating KL Divergence, 2020, http://joschu.net/blog/kl-approx.html, k3.
 */
export function policyDrift(before: readonly Float32Array[], after: readonly Float32Array[]): number {
  let [sum, count] = [0, 0]
  for (const [i, logprobs] of before.entries()) {
    for (const [t, logprob] of logprobs.entries()) {
      const logRatio = (after[i]?.[t] as number) - logprob
      sum += Math.expm1(logRatio) - logRatio
      count++
    }
  }
  return sum / Math.max(1, count)
}
