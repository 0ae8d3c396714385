import type { DatabaseSync } from 'node:sqlite'

/** Runs `work` in a transaction. @throws what `work` throws. */
export function atomically<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite may have rolled back by itself, for example on a full disk.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
