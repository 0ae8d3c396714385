import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { describeMachine, type Machine } from '../../node/model/src/engine/devices/describeMachine.ts'
import { type BenchRow, holds, type RowResult } from './row.ts'

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

export const machineSchema = z.strictObject({
  cpu: z.string().min(1),
  /** Units that multiply 8-bit integers: `AMX`, `VNNI`, `dot product` or `none`. */
  integerUnits: z.string().min(1),
  memoryGb: z.number().positive(),
  node: z.string().min(1),
  /** Those that the machine lists, and NVIDIA's driver. */
  gpu: z.string().min(1).optional(),
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
    machine: machineSchema,
  })
  // An experiment's row may also ask that intervals are apart.
  .refine(row => holds(row, row.value) || !row.ok, 'ok must not be said of a value that misses the bar')

export type MeasuredOn = z.infer<typeof machineSchema>
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

/**
 * Replaces the rows that were run, in the benchmark's order. Rows that no longer exist go.
 *
 * @param when - null if the results do not say: a row then keeps its day and machine, and one without an earlier result is left out.
 */
export async function keepResults(
  folder: string,
  group: Group,
  benchRows: readonly Pick<BenchRow, 'name' | 'better'>[],
  measured: readonly RowResult[],
  when: Measured | null,
): Promise<void> {
  const rows = new Map((await readResults(folder, group)).map(row => [row.name, row]))
  const run = measured.flatMap(({ notRun, ...result }) => (notRun ? [] : [result]))
  const fresh = new Map(run.map(result => [result.name, result]))
  const kept = benchRows.flatMap(({ name, better }) => {
    const [result, earlier] = [fresh.get(name), rows.get(name)]
    const dated = when ?? earlier
    if (!result || !dated) return earlier ?? []
    return { ...result, better, date: dated.date, machine: dated.machine }
  })
  await mkdir(folder, { recursive: true })
  await writeFile(pathOf(folder, group), `${JSON.stringify({ rows: kept }, null, 2)}\n`)
}

/**
 * Machine on which figures depend, in words.
 *
 * @param driver - version of NVIDIA's driver, if it is known.
 */
export function measuredOn(
  { cpu, cores, instructionSets, memoryBytes, gpus }: Machine,
  driver: string | null = null,
): MeasuredOn {
  const has = (pattern: RegExp) => instructionSets.some(name => pattern.test(name))
  const units = [has(/^amx_int8$/) && 'AMX', has(/vnni/) && 'VNNI', has(/^(asimddp|i8mm)$/) && 'dot product']
  const cards = gpus.map(gpu => `${gpu.name}, ${gpu.memoryBytes ? (gpu.memoryBytes / 1e9).toFixed(1) : 'unknown'} GB`)
  const gpu = [...cards, ...(driver === null ? [] : [`driver ${driver}`])].join('; ')
  return {
    cpu: `${cores} cores of ${cpu}`,
    integerUnits: units.filter(Boolean).join(', ') || 'none',
    memoryGb: Math.round(memoryBytes / 1e9),
    node: process.versions.node,
    ...(gpu !== '' && { gpu }),
  }
}

/** Version of NVIDIA's driver, as its kernel module tells; null if there is none. */
async function nvidiaDriver(): Promise<string | null> {
  const text = await readFile('/proc/driver/nvidia/version', 'utf8').catch(() => '')
  return /Kernel Module.*?\s(\d+\.[\d.]+)/.exec(text)?.[1] ?? null
}

/** Today, and this machine. */
export async function measuredNow(): Promise<Measured> {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: measuredOn(await describeMachine(), await nvidiaDriver()),
  }
}
