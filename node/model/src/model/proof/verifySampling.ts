import type { SequenceDraws } from './drawReader.ts'
import { FALSE_FROM, type SamplingTolerance } from './samplingTolerances.ts'

export type SamplingVerdict =
  /** Effect of the tolerance: `forgiven` tokens were not the first in their race, and `rivals` other tokens would have passed. */
  | { readonly follows: true; readonly forgiven: number; readonly rivals: number }
  /** The first position that does not follow, or is undecided (`null`), and by how many nats. */
  | { readonly follows: false | null; readonly at: number; readonly what: 'token' | 'logprob'; readonly off: number }

/**
 * Whether each token of a completion is the one that its race draws from the policy's distribution, and each claimed
 * log-probability is true.
 *
 * The distribution and public random numbers decide a race, so one prefill decides a completion. Nothing is sampled again. Compare
 * TOPLOC (arXiv:2501.16007) and GRAIL, which check activations or likelihoods because their sampler's randomness is private.
 *
 * @param draws - read with the committed policy, at the temperature and top-p that were sampled with, by the solver's seed.
 * @param claimed - log-probability of each token.
 */
export function verifySampling(
  draws: SequenceDraws,
  claimed: Float32Array,
  tolerance: SamplingTolerance,
): SamplingVerdict {
  let [forgiven, rivals] = [0, 0]
  let untold: SamplingVerdict | null = null
  for (const [at, logprob] of draws.logprob.entries()) {
    const [behind, behindAtLeast] = [draws.behind[at] as number, draws.behindAtLeast[at] as number]
    const most = tolerance.logprob + (draws.unsure[at] as number)
    const off = Math.abs((claimed[at] as number) - logprob)
    const errors = [
      ['token', behind, tolerance.race, behindAtLeast],
      ['logprob', off, most, off],
    ] as const
    for (const [what, error, allowed, atLeast] of errors) {
      // NaN counts as false.
      if (!(atLeast <= FALSE_FROM * allowed)) return { follows: false, at, what, off: atLeast }
      if (!(error <= allowed)) untold ??= { follows: null, at, what, off: error }
    }
    if (behind > 0) forgiven++
    rivals += draws.rivals[at] as number
  }
  return untold ?? { follows: true, forgiven, rivals }
}
