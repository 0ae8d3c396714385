import { DatabaseSync } from 'node:sqlite'
import { JournalUnusableError } from '#store/openDatabase.ts'

/**
 * Reads a peer's journal; the peer may be running.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readJournal<T>(path: string, read: (db: DatabaseSync) => T): T {
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      return read(db)
    } finally {
      db.close()
    }
  } catch (cause) {
    throw new JournalUnusableError(`The journal ${path} cannot be read: ${(cause as Error).message}.`, {
      hint: 'Start the peer: it checks its journal and says what to do if it is damaged.',
      cause,
    })
  }
}
