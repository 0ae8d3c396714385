import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NodeError } from '#base/errors.ts'
import { FileError } from '#base/fileError.ts'
import { DataFolderLockedError, lockDataFolder } from '../lockDataFolder.ts'
import { JOURNAL_FILE } from '../openDatabase.ts'

export class BackupError extends NodeError {
  override readonly code = 'BACKUP'
}

/** In the peer's own folder: the copy is not encrypted. */
const newName = () => `.backup.${randomUUID()}.partial`
const copyName = /^\.backup\.[0-9a-f-]{36}\.partial$/
/** A copy is locked within milliseconds. */
const MIN_AGE_MS = 60_000

export type JournalCopy = {
  /** Contains the copy, named as the journal is. */
  folder: string
  remove(): Promise<void>
}

/**
 * Copies the journal of a data folder, including its write-ahead log, into a folder that is locked until it is removed.
 *
 * @throws {BackupError} if the journal is damaged.
 */
export async function copyJournal(dataDir: string): Promise<JournalCopy> {
  const folder = join(dataDir, newName())
  await mkdir(folder, { mode: 0o700 })
  let lock: ReturnType<typeof lockDataFolder> | undefined
  const remove = async () => {
    await rm(folder, { recursive: true, force: true })
    lock?.release()
  }
  try {
    lock = lockDataFolder(folder)
    copyDatabase(join(dataDir, JOURNAL_FILE), join(folder, JOURNAL_FILE))
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, remove }
}

/** Removes copies that killed backups left. Those of a running backup, in any container of this machine, are locked and stay. @returns their names. */
export function removeLeftCopies(dataDir: string, nowMs = Date.now()): string[] {
  const isLeft = (name: string) => {
    const found = statSync(join(dataDir, name), { throwIfNoEntry: false })
    return found?.isDirectory() && nowMs - found.mtimeMs >= MIN_AGE_MS && !isHeld(join(dataDir, name))
  }
  const left = readdirSync(dataDir).filter(name => copyName.test(name) && isLeft(name))
  for (const name of left) rmSync(join(dataDir, name), { recursive: true, force: true })
  return left
}

/** Whether a backup runs with it, or it belongs to another user, who may remove it. */
function isHeld(folder: string): boolean {
  try {
    lockDataFolder(folder).release()
    return false
  } catch (error) {
    if (error instanceof DataFolderLockedError || error instanceof FileError) return true
    throw error
  }
}

function copyDatabase(source: string, target: string): void {
  const db = new DatabaseSync(source)
  try {
    db.prepare('VACUUM INTO ?').run(target)
  } catch (cause) {
    throw new BackupError(`The journal ${source} cannot be copied: ${(cause as Error).message}.`, {
      hint: 'If it is damaged, move it away; keys and weights can be backed up without it.',
      cause,
    })
  } finally {
    db.close()
  }
}
