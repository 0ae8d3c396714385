import { z } from 'zod'

/** A switch, off by default. */
export const flag = (description: string) => z.boolean().default(false).meta({ description })

/** A whole number within bounds. */
export const count = (low: number, high = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(low).max(high)

/** A text option, which the command checks itself. */
export const textOption = (value: string, description: string) => z.string().optional().meta({ value, description })

/** A number in decimal notation, not negative. */
export const decimal = (description: string, value = 'X') =>
  z
    .string()
    .regex(/^\d*\.?\d+(e[+-]?\d+)?$/i, 'not a number')
    .transform(Number)
    .optional()
    .meta({ value, description })

/** Whole numbers, separated by commas. */
export const numberList = (description: string) =>
  z
    .string()
    .regex(/^\d{1,9}(,\d{1,9})*$/, 'not whole numbers, separated by commas')
    .transform(text => text.split(',').map(Number))
    .optional()
    .meta({ value: 'N,N', description })

/** An index, such as that of a round or a game. */
export const numberOption = (description: string) => count(0, 999_999_999).optional().meta({ value: 'N', description })

/** Ends the output of a command. */
export const jsonOption = { json: flag('print one JSON object on the last line') }
