import type { GenerateOptions } from '#model/generation/completion.ts'
import type { Values } from '../command.ts'
import { UsageError } from '../usageError.ts'

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

/**
 * The sampling options that were given. The generator checks their ranges.
 *
 * @throws {UsageError} if one is not a number, or has no effect with --greedy.
 */
export function parseSampling(values: Values): Sampling {
  const given = Object.entries(names).filter(([option]) => values[option] !== undefined)
  const idle = given.find(([option]) => option !== 'repetition-penalty')
  if (values.greedy === true && idle)
    throw new UsageError(`--greedy and --${idle[0]} cannot be combined.`, { hint: 'Leave one of them out.' })
  return Object.fromEntries(
    given.map(([option, name]) => {
      const text = String(values[option])
      if (!/^\d*\.?\d+(e[+-]?\d+)?$/i.test(text))
        throw new UsageError(`--${option} '${text}' is not a number.`, { hint: 'See --help.' })
      return [name, Number(text)]
    }),
  )
}

/** How a request samples by the options, with what a folder's generation_config.json says of greedy generation. */
export function requestSampling(values: Values, repetitionPenalty: number): Sampling & { temperature: number } {
  const isGreedy = values.greedy === true
  const { temperature, ...sampling } = parseSampling(values)
  return {
    ...(isGreedy && repetitionPenalty !== 1 ? { repetitionPenalty } : {}),
    ...sampling,
    temperature: isGreedy ? 0 : (temperature ?? 1),
  }
}
