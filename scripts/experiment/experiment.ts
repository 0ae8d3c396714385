import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Measured } from '../measure/results.ts'
import type { BenchRow, RowResult } from '../measure/row.ts'

export type ExperimentOptions = {
  /** A small smoke run; its figures are not significant. */
  quick: boolean
  /** Folder in which the results of finished runs are kept. */
  data: string
  /** Reports the kept runs without running anything. */
  onlyKept: boolean
  /** Runs only this arm, of an experiment whose arms take hours. */
  arm?: 'shared' | 'solo' | undefined
  /** Filled with day and machine of each run that is reported; runs of earlier versions do not name them. */
  measured: Measured[]
  /** Threads of one model's products. */
  threads: number
  /** Progress, for people. */
  log: (line: string) => void
}

/** Runs missing arms and seeds, and reports all of them. */
export type Experiment = (options: ExperimentOptions) => Promise<readonly RowResult[]>

/** Day and machine of the newest run; null if no run names them. */
export const newestOf = (measured: readonly Measured[]): Measured | null =>
  measured.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)).at(-1) ?? null

/** Day and machine for the record at `path`: of the newest run, or those that the record has if no run names them. */
export async function datedBy(measured: readonly Measured[], path: string): Promise<Partial<Measured>> {
  const newest = newestOf(measured)
  if (newest !== null || !existsSync(path)) return newest ?? {}
  const { date, machine } = JSON.parse(await readFile(path, 'utf8')) as Measured
  return { date, machine }
}

/** Every row that an experiment may have, in the order in which the report has them. */
export const experimentRows: readonly Pick<BenchRow, 'name' | 'better'>[] = [
  { name: 'tokens-to-solo-final', better: 'less' },
  { name: 'gain-equal-tokens', better: 'more' },
  { name: 'gain-equal-updates', better: 'more' },
  { name: 'gain-filtered-solo', better: 'more' },
  { name: 'poisoned-pass1', better: 'less' },
  { name: 'real-accuracy-gain', better: 'more' },
  { name: 'real-sharing-gain', better: 'more' },
  { name: 'real-coding-gain', better: 'more' },
  { name: 'real-coding-sharing-gain', better: 'more' },
]

/** The rows in words. `data` is the folder of finished runs. */
export function linesOf(rows: readonly RowResult[], data: string): string[] {
  if (rows.every(({ notRun }) => notRun)) return [`no run of these rules in ${data}`]
  return rows.map(
    ({ name, value, unit, bar, ok, conditions }) =>
      `${ok ? 'ok  ' : 'miss'} ${name}: ${value?.toPrecision(4) ?? 'no value'} ${unit} (bar ${bar ?? 'none'}); ${conditions}`,
  )
}
