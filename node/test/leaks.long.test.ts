import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { startLiveSwarm } from './liveSwarm.ts'

const ROUNDS = 300
const EVERY = 20
/** The outbox keeps 500 calls, two a round, and the journal the facts of 200 rounds. */
const FULL_FROM = 260
/** Between the lowest of three measurements after 40 to 80 rounds and of the last three; one measurement varies by 3 MB. */
const MAX_HEAP_GROWTH = 4_000_000
/** Files, timers or rows that may be in use at one moment and not at another. */
const MAX_MORE = 5

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Rows of each table of a peer's journal. */
function rowsIn(data: string): Record<string, number> {
  const db = new DatabaseSync(join(data, JOURNAL_FILE), { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const rows = tables.map(({ name }) => [name, Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n)])
  db.close()
  return Object.fromEntries(rows)
}

/** All that a peer holds which could grow with its age. */
function measure(data: string) {
  collect()
  const resources = process.getActiveResourcesInfo()
  return {
    heapBytes: process.memoryUsage().heapUsed,
    held: {
      openFiles: readdirSync('/proc/self/fd').length,
      timers: resources.filter(kind => kind === 'Timeout').length,
      handles: resources.filter(kind => kind !== 'Timeout' && kind !== 'Immediate').length,
      files: readdirSync(data, { recursive: true }).length,
      ...rowsIn(data),
    } as Record<string, number>,
  }
}

test(`an evaluator holds no more after ${ROUNDS} rounds than before`, { timeout: 3_000_000 }, async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const swarm = await startLiveSwarm({ roundSeconds: 400 })
  onTestFinished(async () => {
    process.off('warning', note)
    await swarm.stop()
  })
  const evaluator = await swarm.newPeer('evaluator')
  await swarm.admit(evaluator)
  await swarm.enter(0)
  await evaluator.start('evaluator')
  const at = new Map<number, ReturnType<typeof measure>>()
  for (let round = 1; round <= ROUNDS; round++) {
    await swarm.enter(round)
    if (round % EVERY === 0) at.set(round, measure(evaluator.data))
  }
  const lowest = (...rounds: number[]) => Math.min(...rounds.map(round => at.get(round)?.heapBytes ?? Number.NaN))
  const heaps = [...at].map(([round, { heapBytes }]) => `${round}: ${heapBytes}`).join(', ')
  const growth = lowest(ROUNDS - 2 * EVERY, ROUNDS - EVERY, ROUNDS) - lowest(2 * EVERY, 3 * EVERY, 4 * EVERY)
  expect(growth, heaps).toBeLessThan(MAX_HEAP_GROWTH)
  const [before, after] = [at.get(FULL_FROM)?.held, at.get(ROUNDS)?.held]
  for (const [what, many] of Object.entries(after ?? {}))
    expect(many, what).toBeLessThanOrEqual((before?.[what] ?? 0) + MAX_MORE)
  expect(warnings).not.toContain('MaxListenersExceededWarning')
})
