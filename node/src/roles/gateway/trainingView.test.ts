import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createJournal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { noteRun } from '../metrics/runNote.ts'
import { CONNECTIONS } from '../reports/reportConnections.ts'
import { trainingView } from './trainingView.ts'

const KEY = `0x${'a1'.repeat(32)}`
const run = { peerKey: KEY, model: 'HuggingFaceTB/SmolLM2-135M', trained: 'adapter', device: 'cpu' } as const

const step = (round: number) => ({
  ...{ at: '2026-01-01T00:00:00.000Z', round, ownGroups: 8, groups: 8, reward: 0.5, passAt1: 0.4, loss: 0.1, kl: null },
  ...{ entropy: 1.2, tokens: 900, seconds: 3, failure: null },
})
const line = (round: number) => `${JSON.stringify({ ...step(round), levels: [], peer: null })}\n`

function solverFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-figures-'))
  const journal = createJournal(openDatabase(join(folder, JOURNAL_FILE)), createManualClock())
  return { folder, journal, file: join(folder, 'training.jsonl') }
}

test('an operator’s solver is found by its key, with what it runs and its steps; others, and folders that never ran, are not', async () => {
  const { folder, journal, file } = solverFolder()
  const folders = [join(folder, 'missing'), solverFolder().folder, folder]
  expect(await trainingView(folders, KEY)).toBe(null)
  noteRun(journal, { ...run, startedAtMs: 5 })
  expect(await trainingView(folders, KEY)).toEqual({ ...run, startedAtMs: 5, aliveAtMs: null, steps: [] })
  journal.setState(CONNECTIONS, { peers: 2, alone: null, atMs: 77 })
  writeFileSync(file, line(1) + line(2))
  expect(await trainingView(folders, KEY)).toMatchObject({ aliveAtMs: 77, steps: [step(1), step(2)] })
  expect(await trainingView(folders, `0x${'b2'.repeat(32)}`)).toBe(null)
  expect(await trainingView([], KEY)).toBe(null)
})

test('of a long file the newest steps are read, and what does not fit is left out', async () => {
  const { folder, journal, file } = solverFolder()
  noteRun(journal, { ...run, startedAtMs: 5 })
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
