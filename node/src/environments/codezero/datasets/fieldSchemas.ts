import { z } from 'zod'
import { keywords } from '../python/keywords.ts'
import { datasetLimits, type FieldFault } from './datasetTask.ts'

const { textCharacters } = datasetLimits

const kindOf = ({ input }: { input?: unknown }) => {
  if (input === undefined || input === null) return 'is missing'
  return input instanceof Uint8Array ? 'is not UTF-8' : 'is not a text'
}

export const text = z
  .string({ error: kindOf })
  .min(1, 'is empty')
  .max(textCharacters, `is longer than ${textCharacters} characters`)

export const optionalText = z
  .string({ error: kindOf })
  .max(textCharacters, `is longer than ${textCharacters} characters`)
  .nullish()
  .transform(value => value ?? '')

/** Texts that may be empty, as a program's input may. */
export const texts = z.array(
  z.string({ error: kindOf }).max(10 * textCharacters, `is longer than ${10 * textCharacters} characters`),
  {
    error: ({ input }) => (input === undefined || input === null ? 'is missing' : 'is not a list of texts'),
  },
)

export const identifier = z
  .string({ error: kindOf })
  .regex(/^[A-Za-z_]\w{0,99}$/, 'is not a name')
  .refine(name => !keywords.has(name), 'is a keyword of Python')

export const id = z
  .union([z.string().max(1_000, 'is longer than 1000 characters'), z.number(), z.bigint()], 'is not a number or a text')
  .nullish()

/** The first defect of a row. The field is the path to it, by names alone, so that reasons stay few. */
export function faultOf({ issues }: z.ZodError): FieldFault {
  const [issue] = issues
  const path = issue?.path ?? []
  const reason = issue?.message ?? 'is malformed'
  return {
    field: path.filter(part => typeof part === 'string').join('.') || 'row',
    reason: typeof path.at(-1) === 'number' ? `contains an entry that ${reason}` : reason,
  }
}
