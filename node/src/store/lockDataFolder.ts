import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NodeError } from '#base/errors.ts'
import { makeFolder } from '#base/makeFolder.ts'
import { asDiskFull, isDiskFull } from './diskSpace.ts'

/** Another node uses this data folder: two with one key would collide on the chain and on the network. */
export class DataFolderLockedError extends NodeError {
  override readonly code = 'DATA_FOLDER_LOCKED'
}

type DataFolderLock = { release(): void }

/** Locks of this process. A database that nothing refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>()

export const LOCK_FILE = 'node.lock'
export const PID_FILE = 'node.pid'

/**
 * Takes the data folder for this process.
 *
 * The lock is the operating system's, held through an SQLite transaction that never ends, so that it ends with its process, however that
 * ends: there are no stale locks, and no reused process ids. `node.pid` is for
 * people.
 *
 * @throws {DataFolderLockedError}
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  makeFolder(dataDir, 0o700)
  const pidPath = join(dataDir, PID_FILE)
  const db = new DatabaseSync(join(dataDir, LOCK_FILE), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    if (isDiskFull(cause)) throw asDiskFull(cause, dataDir)
    const holder = readPid(pidPath)
    throw new DataFolderLockedError(
      `Another node${holder === null ? '' : `, process ${holder},`} uses the data folder ${dataDir}.`,
      { hint: 'Stop it, or give this node its own folder with --data.', cause },
    )
  }
  try {
    writeFileSync(pidPath, `${process.pid}\n`)
  } catch (error) {
    db.close()
    throw asDiskFull(error, dataDir)
  }
  held.add(db)
  return {
    release() {
      if (!db.isOpen) return
      rmSync(pidPath, { force: true })
      db.close()
      held.delete(db)
    },
  }
}

function readPid(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
