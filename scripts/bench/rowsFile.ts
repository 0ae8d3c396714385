import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import type { Measured } from '../measure/results.ts'
import type { BenchRow, RowResult } from '../measure/row.ts'

/** The result of a row that was not run, and why: it replaces no earlier one. */
export function unmeasured({ name, unit, bar }: BenchRow, reason: string): RowResult {
  return { name, value: null, unit, bar, ok: false, conditions: reason, notRun: true }
}

/** Day, machine and size of a run. */
export type Origin = Measured & { readonly isTiny: boolean }

/** Results as one line of JSON; without an origin if nothing ran. */
export const jsonOf = (rows: readonly RowResult[], origin: Origin | null = null) =>
  `${JSON.stringify({ ...origin, rows })}\n`

/** Replaces a file with the rows measured so far, and the others without a value: a run that is ended early has a result too. */
export function writeRowsSoFar(
  path: string,
  asked: readonly BenchRow[],
  measured: readonly RowResult[],
  origin: Origin,
): Promise<void> {
  const left = asked.slice(measured.length).map(row => unmeasured(row, 'the run ended before this row was measured'))
  return writeFileAtomic(path, jsonOf([...measured, ...left], origin))
}
