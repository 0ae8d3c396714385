import { type Precision, precisions } from '#model/quantization/precision.ts'
import type { Values } from '../command.ts'
import { unknownWord } from '../nearest.ts'

/** @throws {UsageError} if it is none. */
export function parsePrecision(value: Values[string]): Precision {
  const found = precisions.find(precision => precision === value)
  if (found) return found
  throw unknownWord('precision', String(value), precisions)
}
