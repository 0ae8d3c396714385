import { type Precision, precisions } from '#model/frozenTensors.ts'
import type { Values } from './command.ts'
import { UsageError } from './usageError.ts'

/** @throws {UsageError} if it is none. */
export function parsePrecision(value: Values[string]): Precision {
  const found = precisions.find(precision => precision === value)
  if (found) return found
  throw new UsageError(`Unknown precision '${value}'.`, { hint: `Use one of ${precisions.join(', ')}.` })
}
