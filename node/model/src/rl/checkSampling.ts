import type { SampledWith } from '#model/generation/samplingFilters.ts'
import { TrainerError } from './trainerError.ts'

/** What leaves a distribution as it is, for each filter that training does not know. */
const noFilter = { topK: Number.POSITIVE_INFINITY, minP: 0, repetitionPenalty: 1 } as const

/**
 * Refuses completions whose log-probabilities are of another distribution than the one that is trained: their ratio would not
 * be a ratio of policies. The trainer divides logits by its temperature, knows its top-p, and supports no other filter.
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
