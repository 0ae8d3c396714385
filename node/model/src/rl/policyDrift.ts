/**
 * Cap of one token's contribution, in nats. In an honest update, a policy that has become certain moves single tokens by e^5. Uncapped, one such
 * token outweighs two thousand others, and an honest peer's update is mistaken for one that goes too far.
 */
const MOST_NATS = 1

/**
 * Distance between a policy before and after an update, in nats per token: the sum over tokens of r - log r - 1, where r = after / before, each at
 * most 1 and times its share, divided by the number of tokens. Uncapped, it is an unbiased estimate of KL(before || after) if the policy before
 * sampled the tokens. For tokens of other policies it still grows with every change of their probability.
 *
 * @param before - [tokens] of each completion: log-probabilities before.
 * @param after - of the same tokens.
 * @param count - number of tokens, if it is larger than that of the trained ones: the others count as unmoved. An optimizer's step has one size, so
 *   it moves each of few tokens further.
 * @param shares - as how much of a token each token of a completion counts, as in the loss; 1.
 * @returns not finite if a log-probability is not.
 * @see Schulman, Approximating KL Divergence, 2020, http://joschu.net/blog/kl-approx.html, k3.
 */
export function policyDrift(
  before: readonly Float32Array[],
  after: readonly Float32Array[],
  count = before.reduce((total, { length }) => total + length, 0),
  shares: readonly number[] = before.map(() => 1),
): number {
  let sum = 0
  for (const [i, logprobs] of before.entries()) {
    const share = shares[i] as number
    for (const [t, logprob] of logprobs.entries()) {
      const logRatio = (after[i]?.[t] as number) - logprob
      const nats = Math.expm1(logRatio) - logRatio
      sum += share * (Number.isFinite(logRatio) ? Math.min(nats, MOST_NATS) : nats)
    }
  }
  return sum / Math.max(1, count)
}

/**
 * Share of tokens whose probability an update has moved out of the clip range of its loss, which cannot move them further.
 *
 * @param before - [tokens] of each completion: log-probabilities before.
 * @param after - of the same tokens.
 * @returns 0 where there are no tokens.
 * @see PPO, arXiv:1707.06347 section 3.
 */
export function clipFraction(
  before: readonly Float32Array[],
  after: readonly Float32Array[],
  { clipLow, clipHigh }: { clipLow: number; clipHigh: number },
): number {
  let [clipped, tokens] = [0, 0]
  for (const [i, logprobs] of before.entries()) {
    tokens += logprobs.length
    for (const [t, logprob] of logprobs.entries()) {
      const ratio = Math.exp((after[i]?.[t] as number) - logprob)
      if (ratio < 1 - clipLow || ratio > 1 + clipHigh) clipped += 1
    }
  }
  return clipped / Math.max(1, tokens)
}
