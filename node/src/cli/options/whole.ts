import type { Values } from '../command.ts'
import { UsageError } from '../usageError.ts'

/** The value of an option that counts. @throws {UsageError} */
export function whole(name: string, value: Values[string], fallback: number, max: number, min = 1): number {
  const number = value === undefined ? fallback : Number(value)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new UsageError(`--${name} ${value} is out of range.`, { hint: `Give a whole number from ${min} to ${max}.` })
}
