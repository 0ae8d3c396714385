import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DeployError } from './deployError.ts'

/** Locks of this process. A database that nothing refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>()

/**
 * Locks a deployment's folder: two concurrent runs would send the same transactions.
 *
 * The lock is the operating system's, taken through SQLite, and is released however the process dies.
 *
 * @returns release.
 * @throws {DeployError} DEPLOYMENT_RUNNING if another run holds it, JOURNAL_UNUSABLE if there is no folder to write into.
 */
export function lockJournal(journalDir: string): () => void {
  const lock = openLock(journalDir)
  held.add(lock)
  return () => {
    lock.close()
    held.delete(lock)
  }
}

function openLock(journalDir: string): DatabaseSync {
  const file = path.join(journalDir, 'lock.sqlite')
  let lock: DatabaseSync | undefined
  try {
    mkdirSync(journalDir, { recursive: true })
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock?.close()
    throw lockError(journalDir, file, cause as NodeJS.ErrnoException & { errcode?: number })
  }
}

/** SQLite's codes for a file that another process has locked, and for one that is not a database. */
const [SQLITE_BUSY, SQLITE_NOTADB] = [5, 26]

function lockError(journalDir: string, file: string, cause: NodeJS.ErrnoException & { errcode?: number }): DeployError {
  if (cause.errcode === SQLITE_BUSY) {
    const hint = 'wait until it has ended, and run again'
    return new DeployError('DEPLOYMENT_RUNNING', `another deployment is running in ${journalDir}`, hint, cause)
  }
  const hint =
    cause.errcode === SQLITE_NOTADB ? `delete ${file}, which holds nothing` : 'name a folder that this user can write'
  return new DeployError('JOURNAL_UNUSABLE', `${journalDir} cannot be locked (${cause.message})`, hint, cause)
}
