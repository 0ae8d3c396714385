import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NodeError } from '#base/errors.ts'
import { JOURNAL_FILE } from '../openDatabase.ts'
import { openPartialFolder, type PartialFolder, removeLeftFolders } from './partialFolder.ts'

export class BackupError extends NodeError {
  override readonly code = 'BACKUP'
}

/** In the peer's own folder: the copy is not encrypted. */
const PREFIX = '.backup'

/**
 * Copies the journal of a data folder, including its write-ahead log, into a folder that is locked until it is removed. The copy is named as
 * the journal is.
 *
 * @throws {BackupError} if the journal is damaged.
 */
export async function copyJournal(dataDir: string): Promise<PartialFolder> {
  const copy = await openPartialFolder(dataDir, PREFIX)
  try {
    copyDatabase(join(dataDir, JOURNAL_FILE), join(copy.folder, JOURNAL_FILE))
    return copy
  } catch (error) {
    await copy.remove()
    throw error
  }
}

/** Removes copies that killed backups left, and none of a running backup. @returns their names. */
export const removeLeftCopies = (dataDir: string, nowMs = Date.now()): string[] =>
  removeLeftFolders(dataDir, PREFIX, nowMs)

/** The last round that a node worked in; null if its journal does not say, or cannot be read: {@link copyJournal} says why. */
export function lastRound(dataDir: string): number | null {
  const path = join(dataDir, JOURNAL_FILE)
  if (!existsSync(path)) return null
  const db = new DatabaseSync(path)
  try {
    const kept = JSON.parse(String(db.prepare("SELECT value FROM state WHERE key = 'round'").get()?.value ?? 'null'))
    return typeof kept === 'number' ? kept : null
  } catch {
    return null
  } finally {
    db.close()
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
