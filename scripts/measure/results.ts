import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { describeMachine, type Machine } from '../../node/model/src/engine/devices/describeMachine.ts'
import type { BenchRow, RowResult } from './row.ts'

/** The benchmarks, in the order in which the report has them. */
export const groups = [
  'generate',
  'train',
  'gpu',
  'proof',
  'loop',
  'network',
  'simulate',
  'chaos',
  'protocol',
  'codezero',
  'product',
  'gas',
  'experiments',
] as const
export type Group = (typeof groups)[number]

const machine = z.strictObject({
  cpu: z.string().min(1),
  /** Units that multiply 8-bit integers: `AMX`, `VNNI`, `dot product` or `none`. */
  integerUnits: z.string().min(1),
  memoryGb: z.number().positive(),
  node: z.string().min(1),
})

const keptRow = z
  .strictObject({
    name: z.string().min(1),
    value: z.number().nullable(),
    unit: z.string(),
    bar: z.number().nullable(),
    better: z.enum(['more', 'less']),
    ok: z.boolean(),
    /** Without a value: why there is none. */
    conditions: z.string().min(1),
    date: z.iso.date(),
    machine,
  })
  .refine(({ ok, value, bar, better }) => {
    const holds = value !== null && (bar === null || (better === 'more' ? value >= bar : value <= bar))
    // An experiment's row may also ask that intervals are apart.
    return holds || !ok
  }, 'ok must not be said of a value that misses the bar')

export type MeasuredOn = z.infer<typeof machine>
export type KeptRow = z.infer<typeof keptRow>

/** Day and machine of a measurement. */
export type Measured = { readonly date: string; readonly machine: MeasuredOn }

const pathOf = (folder: string, group: Group) => join(folder, `${group}.json`)

/** The newest result of each row of a benchmark; none if it was never measured. */
export async function readResults(folder: string, group: Group): Promise<KeptRow[]> {
  const path = pathOf(folder, group)
  if (!existsSync(path)) return []
  return z.strictObject({ rows: z.array(keptRow) }).parse(JSON.parse(await readFile(path, 'utf8'))).rows
}

/** Replaces the rows that were run, in the benchmark's order. Rows that no longer exist go. */
export async function keepResults(
  folder: string,
  group: Group,
  benchRows: readonly Pick<BenchRow, 'name' | 'better'>[],
  measured: readonly RowResult[],
  when: Measured,
): Promise<void> {
  const rows = new Map((await readResults(folder, group)).map(row => [row.name, row]))
  const run = measured.flatMap(({ notRun, ...result }) => (notRun ? [] : [result]))
  const fresh = new Map(run.map(result => [result.name, result]))
  const kept = benchRows.flatMap(({ name, better }) => {
    const result = fresh.get(name)
    return result ? { ...result, better, ...when } : (rows.get(name) ?? [])
  })
  await mkdir(folder, { recursive: true })
  await writeFile(pathOf(folder, group), `${JSON.stringify({ rows: kept }, null, 2)}\n`)
}

/** Machine on which figures depend, in words. */
export function measuredOn({ cpu, cores, instructionSets, memoryBytes }: Machine): MeasuredOn {
  const has = (pattern: RegExp) => instructionSets.some(name => pattern.test(name))
  const units = [has(/^amx_int8$/) && 'AMX', has(/vnni/) && 'VNNI', has(/^(asimddp|i8mm)$/) && 'dot product']
  return {
    cpu: `${cores} cores of ${cpu}`,
    integerUnits: units.filter(Boolean).join(', ') || 'none',
    memoryGb: Math.round(memoryBytes / 1e9),
    node: process.versions.node,
  }
}

/** Today, and this machine. */
export async function measuredNow(): Promise<Measured> {
  return { date: new Date().toISOString().slice(0, 10), machine: measuredOn(await describeMachine()) }
}
