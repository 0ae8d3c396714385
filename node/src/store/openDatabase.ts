import { dirname } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { NodeError } from '#base/errors.ts'
import { makeFolder } from '#base/makeFolder.ts'
import { asDiskFull, isDiskFull } from './diskSpace.ts'

/** Name of the database in a data folder. */
export const JOURNAL_FILE = 'journal.sqlite'

/** The journal's file is damaged, or not a journal. It was not changed. */
export class JournalCorruptError extends NodeError {
  override readonly code = 'JOURNAL_CORRUPT'
}

/** The journal was written by a newer release. */
export class JournalTooNewError extends NodeError {
  override readonly code = 'JOURNAL_TOO_NEW'
}

/** No permission, or locked by another process. */
export class JournalUnusableError extends NodeError {
  override readonly code = 'JOURNAL_UNUSABLE'
}

/** Increase by one whenever {@link tables} changes. */
const SCHEMA_VERSION = 3

const tables = `
  CREATE TABLE IF NOT EXISTS facts (
    round INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (round, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, message TEXT NOT NULL, fields TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS peers (
    peer_id TEXT PRIMARY KEY, addresses TEXT NOT NULL, registered INTEGER NOT NULL, heard_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, to_address TEXT NOT NULL, data TEXT NOT NULL,
    from_round INTEGER, through_round INTEGER, status TEXT NOT NULL,
    mined_hash TEXT, mined_block INTEGER, detail TEXT, value_wei TEXT NOT NULL DEFAULT '0'
  ) STRICT;
  CREATE INDEX IF NOT EXISTS outbox_status ON outbox (status);
  CREATE TABLE IF NOT EXISTS outbox_attempts (
    hash TEXT PRIMARY KEY, entry INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE, raw TEXT NOT NULL,
    nonce INTEGER NOT NULL, gas TEXT NOT NULL, max_fee TEXT NOT NULL, max_priority_fee TEXT NOT NULL,
    signed_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS outbox_attempts_entry ON outbox_attempts (entry);
  CREATE INDEX IF NOT EXISTS outbox_attempts_nonce ON outbox_attempts (nonce);
`

/** Migrations, by the version of the file. */
const upgrades: Readonly<Record<number, string>> = {
  1: "ALTER TABLE outbox ADD COLUMN value_wei TEXT NOT NULL DEFAULT '0';",
}

/**
 * Opens the node's database, which holds journal and outbox, and checks its integrity.
 *
 * Every commit is flushed to the disk, into the main file: a transaction must be stored before it is broadcast, power
 * cut or not, and a peer that was killed loses at most its last commit with a damaged or missing write-ahead log.
 *
 * @param path - a file, created if it is missing, or `:memory:`.
 * @throws {JournalCorruptError} if the file is damaged or not a database. It is not changed.
 * @throws {JournalTooNewError} if a newer release wrote it.
 * @throws {DiskFullError} if there is no space, now or in any later write; nothing of that write is kept.
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') makeFolder(dirname(path))
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: 5000 })
    const version = check(db, path)
    // SQLite silently skips what it cannot read of a damaged log, so each commit is copied to the main file at once.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 1')
    db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    db.exec(`BEGIN IMMEDIATE; ${upgrades[version] ?? ''} ${tables} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
    requireColumns(db, path)
    return tellingFullDisks(db, path)
  } catch (cause) {
    if (db?.isOpen) db.close()
    if (isDiskFull(cause)) throw asDiskFull(cause, path)
    const code = resultCode(cause)
    // Its tables do not match its number, so no statement fits.
    if (code === SQLITE_ERROR || code === SQLITE_CORRUPT || code === SQLITE_NOTADB) throw corrupt(path, cause)
    if (code === 0) throw cause
    throw new JournalUnusableError(`The journal ${path} cannot be used: ${(cause as Error).message}.`, {
      hint: 'Check that the folder and its files are yours (a command that was run as root leaves some to root), and that no other node uses them.',
      retryable: true,
      cause,
    })
  }
}

/** Wraps a database or statement so that its methods throw a DiskFullError if SQLite finds no space. */
function tellingFullDisks<T extends DatabaseSync | StatementSync>(target: T, path: string): T {
  return new Proxy(target, {
    get(of, name) {
      const value = Reflect.get(of, name, of)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        try {
          const result = value.apply(of, args)
          return result instanceof StatementSync ? tellingFullDisks(result, path) : result
        } catch (error) {
          throw asDiskFull(error, path)
        }
      }
    },
  })
}

/** @returns the version of the file's format, 0 for a new one. */
function check(db: DatabaseSync, path: string): number {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version > SCHEMA_VERSION)
    throw new JournalTooNewError(`The journal ${path} was written by a newer release (format ${version}).`, {
      hint: 'Install that release, or start with another data folder.',
    })
  const result = db.prepare('PRAGMA quick_check(1)').get()?.quick_check
  if (result !== 'ok') throw corrupt(path, new Error(String(result)))
  return version
}

/** A table of the right name may be another program's. */
function requireColumns(db: DatabaseSync, path: string): void {
  const due = new DatabaseSync(':memory:')
  due.exec(tables)
  const there = new Set(columnsOf(db))
  const missing = columnsOf(due).find(column => !there.has(column))
  due.close()
  if (missing !== undefined) throw corrupt(path, new Error(`no column ${missing}`))
}

function columnsOf(db: DatabaseSync): string[] {
  const rows = db.prepare(
    "SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
  )
  return rows.all().map(({ name }) => String(name))
}

function corrupt(path: string, cause: unknown): JournalCorruptError {
  return new JournalCorruptError(
    `The journal ${path} is damaged (${(cause as Error).message}); it was left as it is.`,
    {
      hint: `Move it away (mv ${path} ${path}.damaged), with ${path}-wal and ${path}-shm if they are there, and start again: keys, bundles and weights are kept. Rounds in flight are skipped, and it is lost which roles were left (repeat unstake), whom a sponsor supplies, and which calls are open: look for those before you repeat a command. Or restore a backup.`,
      cause,
    },
  )
}

/** SQLite's primary result code, 0 for errors that are not SQLite's. */
function resultCode(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : 0
}

const SQLITE_ERROR = 1
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26
