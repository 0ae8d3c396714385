import type { SpecifiedPrecision } from '../quantization/precision.ts'

/**
 * How far a check may be from the run that sampled. Both read the same tokens with the same weights; kernels of another shape, or
 * another instruction set, add in another order.
 */
export interface SamplingTolerance {
  /** Of a cumulative probability: a uniform this close to a token's interval may have drawn it. */
  readonly cumulative: number
  /**
   * The same for likely tokens, where a code of 8 bits may differ: up to `SHIFT_ODDS` times the token's probability. An honest shift
   * puts a uniform into the interval of an unlikely token as seldom as that is narrow; a forger would have thousands to choose from.
   */
  readonly shift: number
  /** Of a log-probability. */
  readonly logprob: number
}

/**
 * What honest checks are off by at most, with a margin: `npm run bench -- proof` measures it. Float sums in another order move a
 * probability by some 1e-6. Integer products are exact, but such a sum may move an activation to the next of its 255 codes.
 */
export const samplingTolerances: Readonly<Record<SpecifiedPrecision, SamplingTolerance>> = {
  float32: { cumulative: 3e-5, shift: 3e-5, logprob: 1e-3 },
  int8: { cumulative: 3e-5, shift: 1e-2, logprob: 0.15 },
  int4: { cumulative: 3e-5, shift: 1e-2, logprob: 0.15 },
}

/**
 * The same under top-p, where sums over the vocabulary are in float64 on both sides: honest checks of SmolLM2-135M are off by 9e-7, and in
 * the graph's float32 by 1e-5.
 */
export const nucleusTolerance: SamplingTolerance = { cumulative: 1e-5, shift: 1e-5, logprob: 1e-3 }

/** Of a policy in float32. */
export const toleranceAt = (topP: number): SamplingTolerance =>
  topP < 1 ? nucleusTolerance : samplingTolerances.float32
