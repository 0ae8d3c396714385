import { z } from 'zod'

/** A switch, off by default. */
export const flag = (description: string) => z.boolean().default(false).meta({ description })

/** A whole number within bounds. */
export const count = (low: number, high = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(low).max(high)

/** An option with a text, which the command checks by what it is asked to do. */
export const textOption = (value: string, description: string) => z.string().optional().meta({ value, description })

/** The number of one of many: a round, a game. */
export const numberOption = (description: string) => count(0, 999_999_999).optional().meta({ value: 'N', description })

/** Ends the output of a command. */
export const jsonOption = { json: flag('print one JSON object on the last line') }
