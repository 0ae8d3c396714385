import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { type Logger, silentLogger } from '#core/logger.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { createJournal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { everyRound } from '../duties/everyRound.ts'
import type { PeerNode } from '../peerNode.ts'

test('a round whose journal finds no space is taken up again once there is some, and rounds go on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-full-'))
  const db = openDatabase(join(folder, JOURNAL_FILE))
  const clock = createManualClock()
  const journal = createJournal(db, clock)
  const end = new AbortController()
  const rounds: number[] = []
  const node = {
    ...{ journal, clock, logger: silentLogger, signal: end.signal, setRound: () => {} },
    disk: createDiskGuard({ folder, clock, logger: silentLogger, readFree: async () => 2 ** 40 }),
    bundles: { pruneBefore: async () => {}, needFrom: async () => 0 },
    environment: {},
    chain: { rounds: { waitFor: async (round: number) => ({ round }) } },
  } as unknown as PeerNode
  // SQLite's own limit: a real SQLITE_FULL.
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  const running = everyRound(node, async ({ round }) => {
    rounds.push(round)
    if (round === 1) db.exec(`PRAGMA max_page_count = ${rounds.length < 6 ? pages : 1_000_000}`)
    journal.set(round, 'large', 'x'.repeat(20_000))
    if (round === 2) end.abort()
  })
  await pass(clock, running)
  expect(rounds).toEqual([0, 1, 1, 1, 1, 1, 2])
  expect(Object.keys(journal.round(1))).toEqual(['large'])
  db.close()
})

test('a round whose data folder is gone is taken up again once it is back, and the log says so once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-gone-'))
  const clock = createManualClock()
  const end = new AbortController()
  const said: string[] = []
  const line = (message: string) => void said.push(message)
  const logger: Logger = { ...silentLogger, error: line, warn: line, info: line }
  const rounds: number[] = []
  const node = {
    ...{ clock, logger, signal: end.signal, setRound: () => {} },
    journal: { getState: () => undefined, setState: () => {}, note: () => {}, prune: () => {} },
    disk: createDiskGuard({ folder, clock, logger, readFree: async () => 2 ** 40 }),
    bundles: { pruneBefore: async () => {}, needFrom: async () => 0 },
    environment: {},
    chain: { rounds: { waitFor: async (round: number) => ({ round }) } },
  } as unknown as PeerNode
  const running = everyRound(node, async ({ round }) => {
    rounds.push(round)
    if (rounds.length === 2) renameSync(folder, `${folder}.away`)
    if (round === 2) end.abort()
    else writeFileSync(join(folder, 'bundle'), '')
  })
  await pass(clock, running, () => {
    if (clock.nowMs() === 60_000) renameSync(`${folder}.away`, folder)
  })
  expect(rounds).toEqual([0, 1, 1, 2])
  expect(said).toEqual([
    'the data folder cannot be used; work waits',
    'the data folder can be used again; work continues',
  ])
})

/** Lets time pass until some work is over. */
async function pass(clock: ReturnType<typeof createManualClock>, work: Promise<void>, each: () => void = () => {}) {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    clock.advance(1_000)
    each()
    await new Promise(resolve => setImmediate(resolve))
  }
  await work
}
