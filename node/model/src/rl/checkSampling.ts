import type { SampledWith } from '#model/generation/samplingFilters.ts'
import { TrainerError } from './trainerError.ts'

/** Neutral value of each sampling filter that training does not support. */
const noFilter = { topK: Number.POSITIVE_INFINITY, minP: 0, repetitionPenalty: 1 } as const

/**
 * Refuses completions whose log-probabilities are of a distribution other than the trained one: the ratio would not be a ratio of
 * policies. The trainer divides logits by its temperature, knows its top-p, and supports no other filter.
 *
 * @param trained - temperature, above 0, and top-p of the trainer.
 * @throws {TrainerError} naming what differs.
 */
export function checkSampling(
  sampling: SampledWith,
  trained: { readonly temperature: number; readonly topP: number },
): void {
  const { temperature, topP = 1 } = sampling
  // Float32 is what a payload carries.
  if (Math.fround(temperature) !== Math.fround(trained.temperature))
    throw refuse(
      `were sampled at temperature ${temperature}, and the trainer's is ${trained.temperature}`,
      'Give the trainer the temperature that completions are sampled at, which is above 0.',
    )
  if (topP !== trained.topP)
    throw refuse(
      `were sampled with topP ${topP}, and the trainer's is ${trained.topP}`,
      'Give the trainer the top-p that completions are sampled with, which is 0.99 at least.',
    )
  for (const [name, none] of Object.entries(noFilter) as [keyof typeof noFilter, number][]) {
    const value = sampling[name]
    if (value !== undefined && value !== none)
      throw refuse(
        `were sampled with ${name} ${value}, which training does not know`,
        `Sample what a policy learns from without ${name}.`,
      )
  }
}

const refuse = (problem: string, hint: string) => new TrainerError(`completions ${problem}`, { hint })

/** Claims are refuted if an honest sampler makes them with a probability of at most exp(-this). */
const UNLIKELY_NATS = 25

/** Tolerance per token for a sampler's arithmetic, in 8 bits or on another machine. */
const ROUNDING_NATS = 0.01

/**
 * Whether samples are too likely under the own policy for their sampler's claims.
 *
 * Over samples y of q, p(y) / q(y) has an expectation of at most 1 for every policy p, so by Markov's inequality its logarithm, summed over all
 * samples, is above c with a probability of at most exp(-c). A sampler that claims less than the truth is detected by any p near q.
 *
 * @param own - [tokens] of each sample, log p.
 * @param claimed - of the same tokens, the sampler's claim of log q.
 */
export function refutesClaims(own: readonly Float32Array[], claimed: readonly Float32Array[]): boolean {
  let [sum, count] = [0, 0]
  for (const [i, logprobs] of own.entries()) {
    for (const [t, logprob] of logprobs.entries()) sum += logprob - (claimed[i]?.[t] as number)
    count += logprobs.length
  }
  return sum > UNLIKELY_NATS + ROUNDING_NATS * count
}
