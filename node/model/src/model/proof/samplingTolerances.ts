import type { SpecifiedPrecision } from '../quantization/precision.ts'

/**
 * Tolerances between a check and the run that sampled. Both read the same tokens with the same weights, but kernels of another shape or another
 * instruction set add in another order.
 */
export interface SamplingTolerance {
  /** Nats that a token may be behind the first in its race. */
  readonly race: number
  /** Tolerance of a log-probability. */
  readonly logprob: number
  /** Tolerance of the share with which a nucleus ends. */
  readonly share: number
  /** Relative tolerance of a probability at the edge of a nucleus. Less than an eighth of `TIED`. */
  readonly edge: number
}

/**
 * The largest errors of honest checks, with a margin: `npm run bench -- proof` measures them. Float sums in another order move a
 * log-probability by some 1e-5. Integer products are exact, but such a sum may move an activation to the next of its 255 codes.
 */
export const samplingTolerances: Readonly<Record<SpecifiedPrecision, SamplingTolerance>> = {
  float32: { race: 1e-3, logprob: 1e-3, share: 1e-5, edge: 1e-3 },
  int8: { race: 0.3, logprob: 0.15, share: 1e-5, edge: 1e-3 },
  int4: { race: 0.3, logprob: 0.15, share: 1e-5, edge: 1e-3 },
}

/**
 * A claim that is off by more tolerances than this is false. Between one tolerance and this it is undecided. Checks on two kinds of CPU differ by
 * less than a tolerance, so no claim is true for one and false for the other.
 */
export const FALSE_FROM = 2
