import type { Bench } from './bench.ts'

/** Result of a row. No value means that it could not be measured here; the conditions then say why. */
export interface Measured {
  readonly value: number | null
  readonly conditions: string
}

/** One line of a run's table. A run is a module that exports `rows: readonly BenchRow[]`. */
export interface BenchRow {
  readonly name: string
  readonly unit: string
  /** Null if a figure is reported and nothing is asked of it. */
  readonly bar: number | null
  /** Whether the bar is a floor or a ceiling. */
  readonly better: 'more' | 'less'
  /** Work of this row that goes before the measures of all rows. It does not throw: `measure` reports what failed. */
  prepare?(bench: Bench): Promise<void>
  measure(bench: Bench): Promise<Measured>
}

/** A row as `--json` prints it. */
export interface RowResult {
  readonly name: string
  readonly value: number | null
  readonly unit: string
  readonly bar: number | null
  readonly ok: boolean
  readonly conditions: string
  /** Nothing was run for it: an earlier result stands. */
  readonly notRun?: true
}

/** Whether a row has a value, which meets its bar. */
export function holds({ bar, better }: Pick<BenchRow, 'bar' | 'better'>, value: number | null): boolean {
  return value !== null && (bar === null || (better === 'more' ? value >= bar : value <= bar))
}

/** Measures a row. A row that throws has no value: the others are still wanted. */
export async function resultOf(row: BenchRow, bench: Bench): Promise<RowResult> {
  const { name, unit, bar, better } = row
  let measured: Measured
  try {
    measured = await row.measure(bench)
  } catch (error) {
    measured = { value: null, conditions: `failed: ${error instanceof Error ? error.message : error}` }
  }
  const isUsable = measured.value === null || Number.isFinite(measured.value)
  // The verdict is that of the figure as it is printed and kept.
  const value = isUsable && measured.value !== null ? Number(measured.value.toPrecision(4)) : null
  const conditions = isUsable ? measured.conditions : `${measured.conditions}; the figure is ${measured.value}`
  const ok = holds({ bar, better }, value)
  return { name, value, unit, bar, ok, conditions }
}
