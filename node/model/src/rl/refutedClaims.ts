/** Claims are refuted where an honest sampler would make them with a probability of at most exp of minus this. */
const UNLIKELY_NATS = 25

/** What a sampler's arithmetic, 8-bit or of another machine, may differ by, for each token. */
const ROUNDING_NATS = 0.01

/**
 * Whether samples are too likely under one's own policy for what their sampler claims.
 *
 * Over samples y of q, p(y) / q(y) has an expectation of at most 1 for every policy p, so by Markov's inequality its logarithm, summed over all
 * samples, is above c with a probability of at most exp(-c). A sampler that claims less than the truth is detected by any p near q.
 *
 * @param own - [tokens] of each sample, log p.
 * @param claimed - of the same tokens, log q as the sampler says.
 */
export function refutesClaims(own: readonly Float32Array[], claimed: readonly Float32Array[]): boolean {
  let [sum, count] = [0, 0]
  for (const [i, logprobs] of own.entries()) {
    for (const [t, logprob] of logprobs.entries()) sum += logprob - (claimed[i]?.[t] as number)
    count += logprobs.length
  }
  return sum > UNLIKELY_NATS + ROUNDING_NATS * count
}
