import { type Precision, precisions } from '#model/quantization/precision.ts'
import type { Values } from '../command.ts'
import { unknownWord } from '../nearest.ts'

export const parsePrecision = (value: Values[string]): Precision => parsePrecisionOf(precisions, value)

/**
 * @param among - those that make sense here.
 * @throws {UsageError} if it is none.
 */
export function parsePrecisionOf<P extends Precision>(among: readonly P[], value: Values[string]): P {
  const found = among.find(precision => precision === value)
  if (found) return found
  throw unknownWord('precision', String(value), among)
}
