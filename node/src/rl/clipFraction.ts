/**
 * Share of tokens whose probability an update has moved out of the clip range of its loss, where it can move them no further.
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
