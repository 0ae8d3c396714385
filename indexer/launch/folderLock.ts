import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a folder for this process until it ends, however it ends. PGlite takes no lock itself, and two instances on one folder destroy
 * it. A file lock of the operating system, taken
 * through SQLite, needs no clean-up after a kill; a file with a process id would.
 *
 * @throws {Error} if another process holds the folder.
 */
export function lockFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'))
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new Error(`another indexer is using ${folder}: stop it, or set WAGGLE_INDEX to another folder`, { cause })
  }
  held.push(lock)
}

/** Kept reachable: a collected handle would release its lock. */
const held: DatabaseSync[] = []
