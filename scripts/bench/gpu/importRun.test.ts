import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBench } from '../../measure/bench.ts'
import { reportOf } from '../../measure/report.ts'
import { readResults } from '../../measure/results.ts'
import { type BenchRow, type RowResult, resultOf } from '../../measure/row.ts'
import { rows } from '../gpu.ts'
import { jsonOf, unmeasured, writeRowsSoFar } from '../rowsFile.ts'
import { importRun } from './importRun.ts'

let work = ''
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'waggle-import-'))
})
afterAll(() => rm(work, { recursive: true }))

const gpu = 'NVIDIA H200, 150.8 GB; driver 570.86.15'
const machine = { cpu: '16 cores of a CPU', integerUnits: 'AMX, VNNI', memoryGb: 128, node: '24.21.0', gpu }
const origin = { date: '2026-12-01', machine, isTiny: false }
/** The result of a row that was run, without a value. */
const failed = (row: BenchRow): RowResult => {
  const { notRun: _, ...result } = unmeasured(row, 'no torch')
  return result
}
const results = rows.map(row => ({
  ...failed(row),
  ...(row.name === 'gpu-against-cpu' && { value: 40, ok: true, conditions: 'as told' }),
}))

/** Imports a file with this text. */
async function imported(text: string, folder = join(work, 'kept')) {
  const path = join(work, 'gpu.json')
  await writeFile(path, text)
  await importRun(path, folder, rows)
  return folder
}

test("a run's rows are kept with their day, machine and GPU, and the report has them", async () => {
  const folder = await imported(jsonOf(results, origin))
  const kept = await readResults(folder, 'gpu')
  expect(kept.map(({ name }) => name)).toEqual(rows.map(({ name }) => name))
  expect(kept.at(-1)).toMatchObject({ value: 40, better: 'more', ok: true, date: '2026-12-01', machine })
  expect(await reportOf(folder)).toContain(`Measured on 2026-12-01: 16 cores of a CPU; GPU: ${gpu};`)
})

test('a run that ended early replaces what it measured, and leaves the other rows as they were', async () => {
  const folder = await imported(jsonOf(results, origin), join(work, 'partial'))
  const before = await readResults(folder, 'gpu')
  const run = [{ ...failed(rows[0] as BenchRow), value: 2, ok: true }]
  await writeRowsSoFar(join(work, 'partial.json'), rows, run, { ...origin, date: '2026-12-02' })
  await imported(await readFile(join(work, 'partial.json'), 'utf8'), folder)
  const [first, ...others] = await readResults(folder, 'gpu')
  expect(first).toMatchObject({ value: 2, ok: true, date: '2026-12-02' })
  expect(others).toEqual(before.slice(1))
})

test('a figure that meets its bar once rounded is imported with all others', async () => {
  const bench = openBench(work)
  const [first, ...others] = rows as [BenchRow, ...BenchRow[]]
  const edge = { ...first, measure: async () => ({ value: 0.99997, conditions: 'as told' }) }
  const run = [await resultOf(edge, bench), ...others.map(failed)]
  const folder = await imported(jsonOf(run, origin), join(work, 'edge'))
  expect((await readResults(folder, 'gpu'))[0]).toMatchObject({ value: 1, bar: 1, ok: true })
})

test('a run without a value is refused, and kept results stay', async () => {
  const folder = await imported(jsonOf(results, origin), join(work, 'stays'))
  const before = await readResults(folder, 'gpu')
  for (const none of [rows.map(failed), rows.map(row => unmeasured(row, 'no GPU'))])
    await expect(imported(jsonOf(none, origin), folder)).rejects.toThrow('no row of it has a value')
  expect(await readResults(folder, 'gpu')).toEqual(before)
})

test.each([
  ['a kit that did not begin', jsonOf(results), /✖ Invalid input.*→ at date/s],
  ['a tiny shape', jsonOf(results, { ...origin, isTiny: true }), /a tiny shape was measured/],
  ['a file cut off', jsonOf(results, origin).slice(0, 50), /is not imported: /],
  ['a row twice', jsonOf([...results, ...results], origin), /a row is there twice/],
  [
    'another row',
    jsonOf(
      results.map(row => ({ ...row, name: `${row.name}-2` })),
      origin,
    ),
    /no row gpu-lora-step-2/,
  ],
  [
    'another bar',
    jsonOf(
      results.map(row => ({ ...row, bar: 0 })),
      origin,
    ),
    /gpu-lora-step has another unit or bar/,
  ],
  [
    'a wrong verdict',
    jsonOf(
      results.map(row => ({ ...row, ok: true })),
      origin,
    ),
    /gpu-lora-step says that it holds/,
  ],
  [
    'another field',
    jsonOf(
      results.map(row => ({ ...row, more: 1 })),
      origin,
    ),
    /Unrecognized key: "more"/,
  ],
])('%s is refused, and nothing is kept', async (_, text, reason) => {
  const folder = await mkdtemp(join(work, 'refused-'))
  await expect(imported(text, folder)).rejects.toThrow(reason)
  expect(await readdir(folder)).toEqual([])
})
