import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import { linesOf, newestOf } from './experiment.ts'
import { keptRun, startOf } from './keptRuns.ts'
import { poisoned, poisonedRow } from './poisoned.ts'
import { realModel } from './realModel.ts'
import { swarmVsSolo } from './swarmVsSolo.ts'

test('runs of other rules or another judge have another name', async () => {
  const { starter } = await loadEnvironments()
  const { spec } = starter
  const start = await startOf(spec)
  expect(start).toMatch(/^[0-9a-f]{8}$/)
  expect(await startOf(structuredClone(spec))).toBe(start)
  const others = [
    { ...spec, version: spec.version + 1 },
    { ...spec, training: { ...spec.training, learningRate: 1 } },
    { ...spec, judge: { kind: 'backTranslation', weightsHash: `0x${'00'.repeat(32)}` } },
  ]
  for (const other of others) expect(await startOf(other)).not.toBe(start)
})

test.each([
  ['swarm-vs-solo', swarmVsSolo],
  ['poisoned', poisoned],
  ['real-model', realModel],
])(
  '%s without a kept run reports that nothing was run, and leaves an earlier record as it is',
  async (name, experiment) => {
    const data = await mkdtemp(join(tmpdir(), 'waggle-kept-'))
    onTestFinished(() => rm(data, { recursive: true }))
    await writeFile(join(data, `${name}.json`), 'earlier')
    const told: string[] = []
    const log = (line: string) => void told.push(line)
    const rows = await experiment({ quick: false, data, onlyKept: true, measured: [], threads: 1, log })
    expect(rows.map(({ value, ok, notRun }) => [value, ok, notRun])).toEqual(rows.map(() => [null, false, true]))
    expect(linesOf(rows, data)).toEqual([`no run of these rules in ${data}`])
    expect(told).toEqual([])
    expect(await readdir(data)).toEqual([`${name}.json`])
    expect(await readFile(join(data, `${name}.json`), 'utf8')).toBe('earlier')
  },
)

test('kept runs are reported with the day and the machine of the newest, and those of earlier versions as they are', async () => {
  const data = await mkdtemp(join(tmpdir(), 'waggle-kept-'))
  onTestFinished(() => rm(data, { recursive: true }))
  const machine = { cpu: '2 cores', integerUnits: 'VNNI', memoryGb: 25, node: '24.21.0' }
  const keep = (name: string, run: unknown) => writeFile(join(data, `${name}.json`), JSON.stringify(run))
  await keep('newer', { passAt1: 0.5, measured: { date: '2026-02-01', machine } })
  await keep('older', { passAt1: 0.4, measured: { date: '2026-01-01', machine: { ...machine, cpu: '8 cores' } } })
  await keep('unnamed', { passAt1: 0.3 })
  await keep('seconds', 1.5)
  const measured: Parameters<typeof keptRun>[0]['measured'] = []
  const read = (name: string) => keptRun<unknown>({ data, onlyKept: true, measured }, name, () => Promise.reject())
  const found = [await read('newer'), await read('older'), await read('unnamed'), await read('seconds')]
  expect(found).toEqual([{ passAt1: 0.5 }, { passAt1: 0.4 }, { passAt1: 0.3 }, 1.5])
  expect(await newestOf(measured)).toEqual({ date: '2026-02-01', machine })
  const ran: typeof measured = []
  expect(await keptRun({ data, onlyKept: false, measured: ran }, 'fresh', async () => ({ passAt1: 1 }))).toEqual({
    passAt1: 1,
  })
  expect(JSON.parse(await readFile(join(data, 'fresh.json'), 'utf8'))).toEqual({ passAt1: 1, measured: ran[0] })
})

test('a poison without runs is named as such, next to one with runs', () => {
  const none = [0.5, 0.7]
  expect(poisonedRow({ none, absurd: [0.5, 0.6] }, 12)).toMatchObject({
    ...{ value: null, ok: false, notRun: true },
    conditions: expect.stringContaining(
      'absurd 0.550 against 0.600 without poison (2 seeds), plausible not run, certain not run',
    ),
  })
  const all = poisonedRow({ none, absurd: none, plausible: none, certain: [0.5, 0.61] }, 12)
  expect(all).toMatchObject({ value: expect.closeTo(0.075, 9), ok: false })
  expect(linesOf([all], '')[0]).toMatch(/^miss poisoned-pass1: 0\.07500 of pass@1 \(bar 0\.05\); /)
})
