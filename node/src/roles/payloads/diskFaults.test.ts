import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
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
  let isOver = false
  void running.finally(() => {
    isOver = true
  })
  while (!isOver) {
    clock.advance(1_000)
    await new Promise(resolve => setImmediate(resolve))
  }
  await running
  expect(rounds).toEqual([0, 1, 1, 1, 1, 1, 2])
  expect(Object.keys(journal.round(1))).toEqual(['large'])
  db.close()
})
