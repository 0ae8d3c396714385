import type { Precision } from '../quantization/frozenTensors.ts'
import type { SamplingTolerance } from './verifySampling.ts'

/**
 * What honest checks are off by at most, with a margin: `npm run bench -- proof` measures it. Float sums in another order move a
 * probability by some 1e-6. Integer products are exact, but such a sum may move an activation to the next of its 255 codes.
 */
export const samplingTolerances: Readonly<Record<Precision, SamplingTolerance>> = {
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
