import type { SequenceDraws } from './drawReader.ts'
import type { SamplingTolerance } from './samplingTolerances.ts'
import type { TokenDraw } from './tokenUniforms.ts'

const SHIFT_ODDS = 256

/** How far a uniform may lie from the interval of a token of this probability. */
export function forgiven({ cumulative, shift }: SamplingTolerance, probability: number): number {
  return Math.max(cumulative, Math.min(shift, cumulative + SHIFT_ODDS * probability))
}

/** A completion as its solver claims to have sampled it. */
export interface SamplingClaim {
  /** Random number of each token; see `tokenUniforms`. */
  readonly uniforms: readonly number[]
  /** Claimed log-probability of each token. */
  readonly logprobs: Float32Array
}

export type SamplingVerdict =
  /**
   * `swaps`: positions at which the uniform lies outside the token's interval, within the tolerance. Where there are any, a replay by the
   * kernels that sampled decides (`sampleNumbers` of `GenerateOptions`).
   */
  | { readonly follows: true; readonly swaps: number }
  /** The first position that does not follow, or that cannot be told (`null`), and by how much: of a cumulative probability, or of a log-probability. */
  | { readonly follows: false | null; readonly at: number; readonly what: 'token' | 'logprob'; readonly off: number }

/**
 * Beyond so many tolerances a claim is false. Between one and this it cannot be told: checks on two kinds of CPU differ by less than a tolerance, so
 * that a claim which is put on the edge of one is never true for one of them and false for the other.
 */
const FALSE_FROM = 2

/** Random numbers of a completion's tokens. */
export function completionUniforms(
  uniforms: (draw: TokenDraw) => number,
  { prompt, sample }: Omit<TokenDraw, 'step'>,
  length: number,
): number[] {
  return Array.from({ length }, (_, step) => uniforms({ prompt, sample, step }))
}

/**
 * Whether each token of a completion is the one that its random number draws from the policy's distribution, and each claimed
 * log-probability is true.
 *
 * A token is drawn by the inverse of the cumulative distribution, so that one prefill decides it: the uniform lies in the token's
 * interval, and under top-p in the nucleus. Nothing is sampled again. Compare TOPLOC (arXiv:2501.16007) and GRAIL, which check activations or likelihoods because
 * their sampler's randomness is private.
 *
 * @param draws - read with the committed policy, at the temperature and top-p that were sampled with.
 */
export function verifySampling(
  draws: SequenceDraws,
  { uniforms, logprobs: claimed }: SamplingClaim,
  tolerance: SamplingTolerance,
): SamplingVerdict {
  let swaps = 0
  let untold: SamplingVerdict | null = null
  for (const [at, logprob] of draws.logprobs.entries()) {
    const unsure = draws.edge?.unsure[at] ?? 0
    const probability = Math.exp(logprob)
    const off = distance(uniforms[at] as number, draws.below[at] as number, probability)
    const errors = [
      ['token', draws.edge?.outside[at] ?? 0, tolerance.cumulative],
      ['token', off, forgiven(tolerance, probability) + unsure],
      ['logprob', Math.abs((claimed[at] as number) - logprob), tolerance.logprob + unsure],
    ] as const
    for (const [what, error, most] of errors) {
      // Not a number is false.
      if (!(error <= FALSE_FROM * most)) return { follows: false, at, what, off: error }
      if (error > most) untold ??= { follows: null, at, what, off: error }
    }
    if (off > 0) swaps++
  }
  return untold ?? { follows: true, swaps }
}

/** From a number to an interval that begins at `below`; 0 inside. */
function distance(uniform: number, below: number, width: number): number {
  return Math.max(0, below - uniform, uniform - (below + width))
}
