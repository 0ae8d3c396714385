export interface ImportanceWeightsOptions {
  /** Each token's own ratio, the default, or the product over its completion; by TRL's names. */
  readonly importanceSamplingMode?: 'token_truncate' | 'sequence_truncate'
  /** Ratios above it are cut to it, which bounds the variance that they bring; 2. */
  readonly importanceSamplingCap?: number
}

/**
 * Truncated importance weights of a completion that another policy sampled: min(exp(old - sampling), cap). They make the
 * expectation of a gradient over the other policy's samples that over one's own, but for the truncation.
 *
 * @param oldLogprobs - [tokens] under the trained policy before the update.
 * @param samplingLogprobs - [tokens] under the policy that sampled.
 * @returns [tokens].
 * @see Ionides, Truncated Importance Sampling, 2008; Yao et al., Your Efficient RL Framework Secretly Brings You Off-Policy
 *   RL Training, 2025, https://fengyao.notion.site/off-policy-rl.
 */
export function importanceWeights(
  oldLogprobs: Float32Array,
  samplingLogprobs: Float32Array,
  { importanceSamplingMode = 'token_truncate', importanceSamplingCap = 2 }: ImportanceWeightsOptions = {},
): Float32Array {
  const truncated = (logRatio: number) => Math.min(Math.exp(logRatio), importanceSamplingCap)
  const byToken = oldLogprobs.map((logprob, i) => logprob - (samplingLogprobs[i] as number))
  if (importanceSamplingMode === 'token_truncate') return byToken.map(truncated)
  return byToken.fill(truncated(byToken.reduce((a, b) => a + b, 0)))
}
