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
 * @throws {DeployError} DEPLOYMENT_RUNNING if another run holds it.
 */
export function lockJournal(journalDir: string): () => void {
  mkdirSync(journalDir, { recursive: true })
  const lock = new DatabaseSync(path.join(journalDir, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    const hint = 'wait until it has ended and run again, or name another folder with --data'
    throw new DeployError('DEPLOYMENT_RUNNING', `another deployment is running in ${journalDir}`, hint, cause)
  }
  held.add(lock)
  return () => {
    lock.close()
    held.delete(lock)
  }
}
