import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import { createManualClock } from '#core/clock.ts'
import { createJournal } from './journal.ts'
import { JournalCorruptError, JournalTooNewError, openDatabase } from './openDatabase.ts'
import { createOutboxTable } from './outboxTable.ts'
import { createPeerTable } from './peerTable.ts'

const path = () => join(mkdtempSync(join(tmpdir(), 'waggle-journal-')), 'journal.sqlite')

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

test('a file that is not a database is left as it is, and the error says what to do', () => {
  const file = path()
  writeFileSync(file, 'this is not a database, but it is long enough to be read by SQLite'.repeat(20))
  const before = readFileSync(file)
  const error = thrownBy(() => openDatabase(file))
  expect(error).toBeInstanceOf(JournalCorruptError)
  expect(formatError(error)).toContain(`mv ${file}`)
  // The journal alone has these.
  for (const lost of ['repeat unstake', 'whom a sponsor supplies', 'calls are open'])
    expect(formatError(error)).toContain(lost)
  expect(readFileSync(file)).toEqual(before)
})

test.each([
  ['CREATE TABLE outbox (a)', 'no such column: status'],
  ['CREATE TABLE facts (x)', 'no column facts.round'],
])("a database with another program's tables is damaged, and not the disk: %s", (tables, reason) => {
  const file = path()
  const other = new DatabaseSync(file)
  other.exec(tables)
  other.close()
  const error = thrownBy(() => openDatabase(file))
  expect(error).toBeInstanceOf(JournalCorruptError)
  expect(formatError(error)).toContain(`The journal ${file} is damaged (${reason})`)
})

test('a damaged page is found at the start', () => {
  const file = path()
  const db = openDatabase(file)
  const journal = createJournal(db, createManualClock())
  db.exec('BEGIN')
  for (let round = 0; round < 2000; round++) journal.set(round, 'key', 'value'.repeat(20))
  db.exec('COMMIT')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const bytes = readFileSync(file)
  bytes.fill(0xff, 4096 * 5, 4096 * 9)
  writeFileSync(file, bytes)
  expect(thrownBy(() => openDatabase(file))).toBeInstanceOf(JournalCorruptError)
  expect(readFileSync(file)).toEqual(bytes)
})

test.each<[string, (log: string) => void]>([
  ['empty', log => truncateSync(log)],
  ['cut', log => truncateSync(log, 32 + 24 + 4096)],
  ['overwritten', log => writeFileSync(log, readFileSync(log).fill(0xa5, 32, 8000))],
  ['gone', log => rmSync(log)],
])('a journal that was killed loses nothing with its write-ahead log: %s', (_, damage) => {
  const [file, killed] = [path(), path()]
  const db = openDatabase(file)
  const journal = createJournal(db, createManualClock())
  for (let round = 0; round < 20; round++) journal.set(round, 'key', 'value')
  createOutboxTable(db).insert({ key: 'a', to: '0x01', data: '0x02', fromRound: null, throughRound: null })
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${killed}${end}`)
  damage(`${killed}-wal`)

  const again = openDatabase(killed)
  expect(createJournal(again, createManualClock()).latestRound()).toBe(19)
  expect(createOutboxTable(again).get('a')?.status).toBe('queued')
})

test('a journal of a newer release is refused', () => {
  const file = path()
  const db = openDatabase(file)
  db.exec('PRAGMA user_version = 99')
  db.close()
  expect(thrownBy(() => openDatabase(file))).toBeInstanceOf(JournalTooNewError)
})

test('a journal of the format before takes what this one adds', () => {
  const file = path()
  openDatabase(file).close()
  const older = new DatabaseSync(file)
  older.exec('ALTER TABLE outbox DROP COLUMN value_wei; PRAGMA user_version = 1')
  older.exec("INSERT INTO outbox (key, to_address, data, status) VALUES ('a', '0x01', '0x02', 'queued')")
  older.close()
  const table = createOutboxTable(openDatabase(file))
  expect(table.get('a')?.valueWei).toBeUndefined()
  expect(
    table.insert({ key: 'b', to: '0x01', data: '0x02', valueWei: 7n, fromRound: null, throughRound: null }).valueWei,
  ).toBe(7n)
})

test('a write that finds no space is reported as such, leaves nothing behind, and succeeds when there is some', () => {
  const db = openDatabase(path())
  const [journal, outbox] = [createJournal(db, createManualClock()), createOutboxTable(db)]
  const { id } = outbox.insert({ key: 'a', to: '0x01', data: '0x02', fromRound: null, throughRound: null })
  const peers = createPeerTable(db)
  const peer = { peerId: 'x'.repeat(50_000), addresses: [], isRegistered: true, heardAtMs: 0 }
  const fees = { gas: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n, signedAtMs: 1 }
  const attempt = { hash: '0x03', raw: `0x${'04'.repeat(50_000)}`, nonce: 0, ...fees } as const
  // SQLite's own limit: a real SQLITE_FULL.
  db.exec(`PRAGMA max_page_count = ${db.prepare('PRAGMA page_count').get()?.page_count}`)
  for (const write of [
    () => journal.set(1, 'key', 'x'.repeat(50_000)),
    () => journal.note('x'.repeat(50_000)),
    () => outbox.addAttempt(id, attempt),
    () => peers.write({ put: [peer], gone: [] }),
  ])
    expect(formatError(thrownBy(write))).toMatch(
      /^There is no space left for .*journal\.sqlite\. Free .* \[DISK_FULL\]$/,
    )
  expect(outbox.get('a')).toMatchObject({ status: 'queued', attempts: [] })
  db.exec('PRAGMA max_page_count = 1000000')
  outbox.addAttempt(id, attempt)
  expect(outbox.get('a')).toMatchObject({ status: 'signed', attempts: [attempt] })
  expect(journal.round(1)).toEqual({})
})
