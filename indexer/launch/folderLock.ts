import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Holds a folder for this process alone until the process is gone, however it goes.
 *
 * PGlite takes no lock of its own, and two of them on one folder destroy it. A file lock of the operating system, taken
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

/** Kept reachable: a collected handle would let go of its lock. */
const held: DatabaseSync[] = []
