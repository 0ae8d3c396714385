import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { keepResults, machineSchema } from '../../measure/results.ts'
import { type BenchRow, holds } from '../../measure/row.ts'

const runSchema = z.strictObject({
  date: z.iso.date(),
  machine: machineSchema,
  isTiny: z.literal(false, 'a tiny shape was measured: its figures mean nothing'),
  rows: z
    .array(
      z.strictObject({
        name: z.string(),
        value: z.number().nullable(),
        unit: z.string(),
        bar: z.number().nullable(),
        ok: z.boolean(),
        conditions: z.string().min(1),
        notRun: z.literal(true).exactOptional(),
      }),
    )
    .min(1),
})

/**
 * Keeps the rows of a `gpu.json` that a kit wrote on another machine. Rows that it did not run leave earlier results.
 *
 * @param folder - of the kept results.
 * @param rows - of this benchmark.
 * @throws {Error} if the file is not such a run's, or its rows are not those of this version; nothing is kept then.
 */
export async function importRun(path: string, folder: string, rows: readonly BenchRow[]): Promise<void> {
  const refuse = (reason: string) => new Error(`${path} is not imported: ${reason}`)
  const text = await readFile(path, 'utf8')
  const parsed = runSchema.safeParse(jsonIn(text))
  if (!parsed.success) throw refuse(z.prettifyError(parsed.error))
  const { date, machine, rows: measured } = parsed.data
  if (new Set(measured.map(({ name }) => name)).size < measured.length) throw refuse('a row is there twice')
  for (const { name, unit, bar, ok, value } of measured) {
    const row = rows.find(row => row.name === name)
    if (row === undefined) throw refuse(`there is no row ${name} in this version`)
    if (row.unit !== unit || row.bar !== bar) throw refuse(`${name} has another unit or bar in this version`)
    if (holds(row, value) !== ok)
      throw refuse(`${name} says ${ok ? 'that it holds' : 'that it misses its bar'}, which is wrong`)
  }
  if (!measured.some(({ value, notRun }) => value !== null && !notRun)) throw refuse('no row of it has a value')
  await keepResults(folder, 'gpu', rows, measured, { date, machine })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
