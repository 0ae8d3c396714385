import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportOf } from '../measure/report.ts'
import { realRows } from './realRows.ts'
import { recordReal } from './recordReal.ts'

const round = { reward: 0.2, taken: 10, updates: 3, seconds: 60 }
const shared = {
  accuracy: [0.4, 0.5, 0.6],
  rounds: [
    { ...round, round: 3, correct: 0.05 },
    { ...round, round: 4, correct: 0.3 },
  ],
}
const when = {
  date: '2026-11-27',
  machine: { cpu: '2 cores', integerUnits: 'VNNI', memoryGb: 25, node: '24.21.0' },
}

test('a finished run is kept with its rounds, as a table and as a curve, and the report shows it', async () => {
  const docs = await mkdtemp(join(tmpdir(), 'waggle-real-'))
  const folder = join(docs, 'experiments', 'real-model')
  const arms = { shared: [shared, { ...shared, accuracy: [0.3, 0.3, 0.6] }], solo: [] }
  await recordReal(folder, { before: 0.031, arms }, [], when)
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  expect(JSON.parse(await read('real-model.json'))).toEqual({ ...when, rows: [], before: 0.031, arms })
  const line = '| shared 1 | 2 | 0.031 | 0.400, 0.500, 0.600 | 0.050 to 0.300 | 20 | 6 | 60 |'
  expect(await read('real-model.md')).toContain(line)
  expect((await read('real-model.svg')).match(/<polyline points="[\d.]+,[\d.]+ [\d.]+,[\d.]+"/g)).toHaveLength(1)
  const report = await reportOf(join(docs, 'benchmarks'))
  expect(report).toContain(line)
  expect(report).toContain('![real-model](experiments/real-model/real-model.svg)')
})

test('rows are means over runs, whose spread the conditions state', () => {
  const arms = {
    shared: [shared, { ...shared, accuracy: [0.3, 0.3, 0.6] }],
    solo: [{ ...shared, accuracy: [0.2, 0.2, 0.2] }],
  }
  const [gain, sharing] = realRows({ before: 0.05, arms }, 'asked')
  expect(gain?.value).toBeCloseTo(0.4, 9)
  expect(gain?.ok).toBe(true)
  expect(sharing?.value).toBeCloseTo(0.25, 9)
  expect(sharing?.conditions).toContain(
    'shared 0.450 ± 0.635 after 2 rounds (2 runs; by solver 0.400, 0.500, 0.600; 0.300, 0.300, 0.600)',
  )
  expect(sharing?.conditions).toContain('solo 0.200 after 2 rounds (1 run; by solver 0.200, 0.200, 0.200)')
})

test('an arm without a finished run has no value, and the bar does not hold', () => {
  const [gain, sharing] = realRows({ before: 0.05, arms: { shared: [], solo: [shared] } }, 'asked')
  expect(gain).toMatchObject({ value: null, ok: false })
  expect(sharing).toMatchObject({ value: null, ok: false })
})
