import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { reportOf } from './report.ts'
import { keepResults, measuredOn, readResults } from './results.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-bench-'))
afterAll(() => rmSync(folder, { recursive: true }))

const machine = { cpu: '2 cores of a CPU', integerUnits: 'none', memoryGb: 24, node: '24.21.0' }
const rows = [
  { name: 'a', better: 'more' },
  { name: 'b', better: 'less' },
] as const
const result = (name: string, value: number | null, bar: number, ok: boolean) => ({
  ...{ name, value, unit: 's', bar, ok, conditions: value === null ? 'no CUDA' : 'idle' },
})

test('a run of some rows leaves the others as they were measured, and the report says when and where', async () => {
  await keepResults(folder, 'train', rows, [result('a', 3, 2, true), result('b', 3, 2, false)], {
    ...{ date: '2026-11-20', machine },
  })
  await keepResults(folder, 'train', rows, [result('b', null, 2, false)], { date: '2026-11-21', machine })
  expect((await readResults(folder, 'train')).map(({ name, date }) => [name, date])).toEqual([
    ['a', '2026-11-20'],
    ['b', '2026-11-21'],
  ])
  const report = await reportOf(folder)
  expect(report).toContain(
    'Measured on 2026-11-20: 2 cores of a CPU; integer units: none; 24 GB of memory; Node 24.21.0.',
  )
  expect(report).toContain('| `a` | 3 s | at least 2 | holds | idle |')
  expect(report).toContain('| `b` | no value | at most 2 |  | no CUDA |')
  expect(report).toMatch(/## GPU\n\n.*\n\nNot measured: no GPU was available\./)
  expect(report).toContain('Not measured yet: `npm run bench -- gas` does it.')
})

test('a row that was not run leaves its earlier result, and one that never was is not kept', async () => {
  const other = join(folder, 'other')
  const when = (date: string) => ({ date, machine })
  const notRun = (name: string) => ({ ...result(name, null, 2, false), notRun: true }) as const
  await keepResults(other, 'experiments', rows, [result('a', 3, 2, true)], when('2026-11-20'))
  await keepResults(other, 'experiments', rows, [notRun('a'), notRun('b')], when('2026-11-21'))
  expect(await readResults(other, 'experiments')).toMatchObject([{ name: 'a', value: 3, date: '2026-11-20' }])
})

test('results that do not say when they were measured keep the day and the machine that a row has', async () => {
  const other = join(folder, 'undated')
  await keepResults(other, 'experiments', rows, [result('a', 3, 2, true)], { date: '2026-11-20', machine })
  await keepResults(other, 'experiments', rows, [result('a', 4, 2, true), result('b', 1, 2, true)], null)
  expect(await readResults(other, 'experiments')).toMatchObject([{ name: 'a', value: 4, date: '2026-11-20', machine }])
})

test('a machine says what multiplies 8-bit integers', () => {
  const of = (instructionSets: string[]) =>
    measuredOn({ platform: '', cpu: 'X', cores: 2, instructionSets, memoryBytes: 24e9, gpus: [] }).integerUnits
  expect([of(['avx2']), of(['avx512_vnni', 'amx_int8'])]).toEqual(['none', 'AMX, VNNI'])
})
