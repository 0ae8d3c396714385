import type { z } from 'zod'
import type { GenerateOptions } from '#model/generation/completion.ts'
import { UsageError } from '../usageError.ts'
import type { drawOptions } from './runOptions.ts'

/** Options of sampling by their names in `GenerateOptions`. */
const names = {
  temperature: 'temperature',
  'top-k': 'topK',
  'top-p': 'topP',
  'min-p': 'minP',
  'repetition-penalty': 'repetitionPenalty',
} as const

export const samplingOptions = Object.keys(names)

type Sampling = Partial<Pick<GenerateOptions, (typeof names)[keyof typeof names]>>

export type DrawValues = z.infer<z.ZodObject<typeof drawOptions>>

/**
 * The sampling options that were given. The generator checks their ranges.
 *
 * @throws {UsageError} if one has no effect with --greedy.
 */
export function samplingOf(values: DrawValues): Sampling {
  const given = Object.entries(names).filter(([option]) => values[option as keyof typeof names] !== undefined)
  const idle = given.find(([option]) => option !== 'repetition-penalty')
  if (values.greedy && idle)
    throw new UsageError(`--greedy and --${idle[0]} cannot be combined.`, { hint: 'Leave one of them out.' })
  return Object.fromEntries(given.map(([option, name]) => [name, values[option as keyof typeof names]]))
}

/** How a request samples by the options, with the penalty of a folder's generation_config.json for greedy generation. */
export function requestSampling(values: DrawValues, repetitionPenalty: number): Sampling & { temperature: number } {
  const { temperature, ...sampling } = samplingOf(values)
  return {
    ...(values.greedy && repetitionPenalty !== 1 ? { repetitionPenalty } : {}),
    ...sampling,
    temperature: values.greedy ? 0 : (temperature ?? 1),
  }
}
