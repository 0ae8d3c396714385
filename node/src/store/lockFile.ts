import { DatabaseSync } from 'node:sqlite'

/** Locks of this process. A database that nothing refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>()

const SQLITE_BUSY = 5

/**
 * Locks a file for this process, and creates it if it is missing.
 *
 * The lock is the operating system's, held through an SQLite transaction that never ends. The system releases it when the process ends in any way, so
 * there are no stale locks and no problems with reused process ids. The file stays: a lock on a file that was removed keeps nobody out.
 *
 * @returns release, or null if the file is locked already.
 * @throws {Error} SQLite's, if the file cannot be locked.
 */
export function lockFile(path: string): (() => void) | null {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db?.close()
    if ((Number((cause as { errcode?: unknown }).errcode) & 0xff) === SQLITE_BUSY) return null
    throw cause
  }
  const lock = db
  held.add(lock)
  return () => {
    if (held.delete(lock)) lock.close()
  }
}
