import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { makeFolder } from '#base/makeFolder.ts'
import type { Clock } from '#core/clock.ts'
import { HubError } from './hubError.ts'

/** SQLite's code where another connection holds the lock. */
const BUSY = 5
const POLL_MS = 250

/**
 * Runs work under an exclusive lock, across processes and within this one; waits for the lock.
 *
 * The lock is the operating system's, held through an SQLite transaction, so that it is released however the process dies.
 *
 * @throws {HubError} if the lock's file cannot be made.
 */
export async function underLock<T>(
  path: string,
  { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const db = open(path)
  try {
    while (!tryLock(db, path)) {
      signal?.throwIfAborted()
      await clock.sleep(POLL_MS, signal)
      await setImmediate() // a clock of a test sleeps no time, and the other's work needs some
    }
    return await work()
  } finally {
    db.close()
  }
}

function open(path: string): DatabaseSync {
  try {
    makeFolder(dirname(path))
    return new DatabaseSync(path, { timeout: 0 })
  } catch (cause) {
    throw new HubError('HUB_DISK', `${path} cannot be made.`, cause)
  }
}

function tryLock(db: DatabaseSync, path: string): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE')
    return true
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode === BUSY) return false
    throw new HubError('HUB_DISK', `${path} cannot be locked.`, cause)
  }
}
