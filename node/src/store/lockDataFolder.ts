import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NodeError } from '#base/errors.ts'
import { asFileError, FileError } from '#base/fileError.ts'
import { makeFolder } from '#base/makeFolder.ts'
import { readSmallFile } from '#base/readSmallFile.ts'
import { asDiskFull, isDiskFull } from './diskSpace.ts'
import { lockFile } from './lockFile.ts'

/** Another node uses this data folder: two with one key would collide on the chain and on the network. */
export class DataFolderLockedError extends NodeError {
  override readonly code = 'DATA_FOLDER_LOCKED'
}

type DataFolderLock = { release(): void }

const MAX_PID_BYTES = 64

export const LOCK_FILE = 'node.lock'
export const PID_FILE = 'node.pid'

/**
 * Locks the data folder for this process. `node.pid` is for people.
 *
 * @throws {DataFolderLockedError}
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  makeFolder(dataDir, 0o700)
  const pidPath = join(dataDir, PID_FILE)
  const unlock = lockFolder(dataDir)
  if (unlock === null) {
    const holder = readPid(pidPath)
    throw new DataFolderLockedError(
      `Another node${holder === null ? '' : `, process ${holder},`} uses the data folder ${dataDir}.`,
      { hint: 'Stop it, or give this node its own folder with --data.' },
    )
  }
  try {
    writeFileSync(pidPath, `${process.pid}\n`)
  } catch (error) {
    unlock()
    throw asFileError(asDiskFull(error, dataDir))
  }
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      try {
        rmSync(pidPath, { force: true })
      } catch {
        // The disk may be read-only by now. The file is for people; the lock is what counts.
      }
      unlock()
    },
  }
}

function lockFolder(dataDir: string): (() => void) | null {
  const path = join(dataDir, LOCK_FILE)
  try {
    return lockFile(path)
  } catch (cause) {
    throw isDiskFull(cause) ? asDiskFull(cause, dataDir) : unusable(path, cause)
  }
}

/** Whether a process, of any container of this machine, has locked the folder. Nothing is written. */
export function isDataFolderLocked(dataDir: string): boolean {
  const lockPath = join(dataDir, LOCK_FILE)
  if (!existsSync(lockPath)) return false
  const db = new DatabaseSync(lockPath, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return false
  } catch {
    return true
  } finally {
    db.close()
  }
}

function unusable(path: string, cause: unknown): FileError {
  return new FileError(`The folder cannot be locked through ${path}: ${(cause as Error).message}.`, {
    hint: 'Check that this user may write there, and that it is a file that a peer made: it holds nothing, and may be moved away while no peer runs.',
    cause,
  })
}

function readPid(path: string): string | null {
  try {
    return readSmallFile(path, MAX_PID_BYTES).toString().trim()
  } catch {
    return null
  }
}
