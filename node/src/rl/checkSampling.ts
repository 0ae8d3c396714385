import type { SampledWith } from '#model/samplingFilters.ts'
import { TrainerError } from './trainerError.ts'

/** What leaves a distribution as it is, for each filter. */
const noFilter = { topK: Number.POSITIVE_INFINITY, topP: 1, minP: 0, repetitionPenalty: 1 } as const

/**
 * Refuses completions whose log-probabilities are of another distribution than the one that is trained: their ratio would not
 * be a ratio of policies. The trainer divides logits by its temperature, and supports no filters.
 *
 * @param temperature - of the trainer, above 0.
 * @throws {TrainerError} naming what differs.
 */
export function checkSampling(sampling: SampledWith, temperature: number): void {
  // Float32 is what a body carries.
  if (Math.fround(sampling.temperature) !== Math.fround(temperature))
    throw refuse(
      `were sampled at temperature ${sampling.temperature}, and the trainer's is ${temperature}`,
      'Give the trainer the temperature that completions are sampled at, which is above 0.',
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
