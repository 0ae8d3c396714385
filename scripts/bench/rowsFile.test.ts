import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BenchRow } from '../measure/row.ts'
import { writeRowsSoFar } from './rowsFile.ts'

const row = (name: string): BenchRow => ({
  ...{ name, unit: 'tokens/s', bar: 1, better: 'more' },
  measure: async () => ({ value: 2, conditions: 'here' }),
})
const measured = { name: 'first', value: 2, unit: 'tokens/s', bar: 1, ok: true, conditions: 'here' }
const machine = { cpu: '2 cores', integerUnits: 'none', memoryGb: 24, node: '24.21.0', gpu: 'NVIDIA H200, 150.8 GB' }
const origin = { date: '2026-12-01', machine, isTiny: false }
const left = { value: null, ok: false, notRun: true, conditions: 'the run ended before this row was measured' }

test('rows that were measured keep their values in the file, and the others say that the run ended before them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-rows-'))
  const path = join(folder, 'gpu.json')
  const rows = async () => JSON.parse(await readFile(path, 'utf8')).rows
  try {
    await writeRowsSoFar(path, [row('first'), row('second')], [], origin)
    expect(await rows()).toMatchObject([
      { name: 'first', ...left },
      { name: 'second', ...left },
    ])
    await writeRowsSoFar(path, [row('first'), row('second')], [measured], origin)
    expect(await rows()).toEqual([measured, { name: 'second', unit: 'tokens/s', bar: 1, ...left }])
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject(origin)
    expect(await readdir(folder)).toEqual(['gpu.json'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
