import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import { createJournal, type Journal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { noteRun, RUN, type RunNote } from '../metrics/runNote.ts'
import { CONNECTIONS } from '../reports/reportConnections.ts'
import { createTrainingView } from './trainingView.ts'

const KEY = `0x${'a1'.repeat(32)}` as const
const run = {
  peerKey: KEY,
  role: 'solver',
  model: 'HuggingFaceTB/SmolLM2-135M',
  trained: 'adapter',
  device: 'cpu',
} as const

const note = (journal: Journal, of: Omit<RunNote, 'startedAtMs'> = run) =>
  noteRun({ journal, identity: { peerKey: KEY }, clock: createManualClock(5) }, of)

const step = (round: number) => ({
  ...{ at: '2026-01-01T00:00:00.000Z', round, ownGroups: 8, groups: 8, reward: 0.5, passAt1: 0.4, loss: 0.1, kl: null },
  ...{ entropy: 1.2, tokens: 900, seconds: 3, failure: null, peer: null, validShare: null },
})
const line = (round: number) => `${JSON.stringify({ ...step(round), levels: [] })}\n`

/** Answer of a gateway that has just started. */
const trainingView = (folders: readonly string[], key: string) =>
  createTrainingView(folders, { clock: createManualClock(), logger: silentLogger })(key)

function solverFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-figures-'))
  const journal = createJournal(openDatabase(join(folder, JOURNAL_FILE)), createManualClock())
  return { folder, journal, file: join(folder, 'training.jsonl') }
}

test('an operator’s solver is found by its key, with what it runs and its steps; others, and folders that never ran, are not', async () => {
  const { folder, journal, file } = solverFolder()
  const folders = [join(folder, 'missing'), solverFolder().folder, folder]
  expect(await trainingView(folders, KEY)).toBe(null)
  note(journal)
  expect(await trainingView(folders, KEY)).toEqual({ ...run, startedAtMs: 5, aliveAtMs: null, steps: [] })
  journal.setState(CONNECTIONS, { peers: 2, alone: null, atMs: 77 })
  writeFileSync(file, line(1) + line(2))
  expect(await trainingView(folders, KEY)).toMatchObject({ aliveAtMs: 77, steps: [step(1), step(2)] })
  expect(await trainingView(folders, `0x${'b2'.repeat(32)}`)).toBe(null)
  expect(await trainingView([], KEY)).toBe(null)
})

test('a proposer that learns is reported with the share of its candidates that became tasks, and a note of an earlier release is a solver’s', async () => {
  const { folder, journal, file } = solverFolder()
  note(journal, { ...run, role: 'proposer' })
  writeFileSync(file, `${JSON.stringify({ ...step(1), validShare: 0.75 })}\n`)
  expect(await trainingView([folder], KEY)).toMatchObject({ role: 'proposer', steps: [{ validShare: 0.75 }] })
  const { role: _, ...earlier } = run
  journal.setState(RUN, { ...earlier, startedAtMs: 5 })
  expect(await trainingView([folder], KEY)).toMatchObject({ role: 'solver' })
})

test('the newest steps of a long file are read, and what does not fit is left out', async () => {
  const { folder, journal, file } = solverFolder()
  note(journal)
  const odd = [
    '{"at":"soon"}',
    'null',
    JSON.stringify({ ...step(3), reward: 'high' }),
    JSON.stringify({ ...step(3), round: -1 }),
  ]
  writeFileSync(file, `${'x'.repeat(2 ** 20)}\n${odd.join('\n')}\n`)
  for (let round = 0; round < 400; round++) appendFileSync(file, line(round))
  // The line that is being written.
  appendFileSync(file, line(400).slice(0, 90))
  const view = await trainingView([folder], KEY)
  expect(view?.steps.map(({ round }) => round)).toEqual(Array.from({ length: 300 }, (_, i) => 100 + i))
})

test('a damaged folder hides no other, and a crowd of readers has no folder read again within seconds', async () => {
  const [damaged, { folder, journal, file }] = [mkdtempSync(join(tmpdir(), 'waggle-figures-')), solverFolder()]
  writeFileSync(join(damaged, JOURNAL_FILE), 'x'.repeat(8192))
  note(journal)
  writeFileSync(file, line(1))
  const clock = createManualClock()
  const lines: string[] = []
  const logger = createLogger({ write: said => lines.push(said), format: 'pretty', level: 'info', clock })
  const told = createTrainingView([damaged, folder], { clock, logger })
  expect((await told(KEY))?.steps.length).toBe(1)
  appendFileSync(file, line(2))
  for (let key = 0; key < 100; key++) await told(`0x${String(key).padStart(64, '0')}`)
  expect([(await told(KEY))?.steps.length, lines.length]).toEqual([1, 1])
  clock.advance(5_000)
  expect([(await told(KEY))?.steps.length, lines.length]).toEqual([2, 2])
})
