import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import type { Learner } from '../../node/src/roles/solver/learner.ts'
import { datedBy, linesOf, newestOf } from './experiment.ts'
import { keptRun, startOf } from './keptRuns.ts'
import { countingPoisoned } from './openSwarm.ts'
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
  expect(newestOf(measured)).toEqual({ date: '2026-02-01', machine })
  const record = join(data, 'record.json')
  expect(await datedBy([], record)).toEqual({})
  await keep('record', { date: '2026-01-15', machine, rows: [] })
  expect(await datedBy([], record)).toEqual({ date: '2026-01-15', machine })
  expect(await datedBy(measured, record)).toEqual({ date: '2026-02-01', machine })
  const ran: typeof measured = []
  expect(await keptRun({ data, onlyKept: false, measured: ran }, 'fresh', async () => ({ passAt1: 1 }))).toEqual({
    passAt1: 1,
  })
  expect(JSON.parse(await readFile(join(data, 'fresh.json'), 'utf8'))).toEqual({ passAt1: 1, measured: ran[0] })
})

const runsOf = (learned: number, ...passAt1: number[]) => passAt1.map(value => ({ passAt1: [value], learned }))

test('a poison without runs is named as such, next to one with runs', () => {
  const none = runsOf(0, 0.5, 0.7)
  expect(poisonedRow({ none, absurd: runsOf(0, 0.5, 0.6) }, 12)).toMatchObject({
    ...{ value: null, ok: false, notRun: true },
    conditions: expect.stringContaining(
      'absurd 0.550 against 0.600 without poison (2 seeds, 0 poisoned groups learned from), plausible not run, certain not run, loud not run, anchor not run',
    ),
  })
  const unharmed = { none, absurd: none, plausible: none, loud: none, anchor: none }
  const all = poisonedRow({ ...unharmed, certain: runsOf(3, 0.5, 0.61) }, 12)
  expect(all).toMatchObject({
    ...{ value: expect.closeTo(0.075, 9), ok: false },
    conditions: expect.stringMatching(/certain [^,]* \(2 seeds, 6 poisoned groups learned from\),/),
  })
  expect(linesOf([all], '')[0]).toMatch(/^miss poisoned-pass1: 0\.07500 of pass@1 \(bar 0\.05\); /)
})

test('a poison of which nothing was learned is not measured, and an earlier value goes', () => {
  const none = runsOf(0, 0.5, 0.7)
  const row = poisonedRow({ none, absurd: none, plausible: none, certain: none, loud: none, anchor: none }, 12)
  expect(row).toMatchObject({ value: null, ok: false, conditions: expect.stringMatching(/^no poison was measured: /) })
  expect(row.notRun).toBeUndefined()
})

test('groups of peers that poison count once each where they changed the policy', async () => {
  const [poisoner, honest] = [`0x${'0a'.repeat(32)}`, `0x${'0b'.repeat(32)}`] as const
  const learn = async (groups: readonly unknown[]) => ({ failure: null, updates: 1, taken: groups.length })
  const { learner, poisoned } = countingPoisoned({ learn } as unknown as Learner, new Set([poisoner]))
  const groups = Array(3) as Parameters<Learner['learn']>[0]
  for (const peer of [poisoner, honest, null]) await learner.learn(groups, 0, { round: 1, peer })
  await learner.learn(groups, 0, { round: 1, peer: poisoner, again: true })
  expect(poisoned()).toBe(3)
})
