import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NodeError } from '#core/errors.ts'
import { makeFolder } from '#core/makeFolder.ts'
import { LOCK_FILE, PID_FILE } from './lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from './openDatabase.ts'

export class BackupError extends NodeError {
  override readonly code = 'BACKUP'
}

/** Re-fetchable, and large. */
const BUNDLES_FOLDER = 'bundles'

/**
 * Copies a data folder (keys, journal and outbox, weights) but for its bundles, also while its node runs.
 *
 * The copy is whole or not there: it gets its name when it is done.
 *
 * @throws {BackupError} if `target` exists or is within `dataDir`, or `dataDir` does not exist, or its journal is damaged.
 */
export async function backupDataFolder(dataDir: string, target: string): Promise<void> {
  if (!(await exists(dataDir)))
    throw new BackupError(`${dataDir} does not exist.`, { hint: 'Name the data folder of a node with --data.' })
  if (await exists(target))
    throw new BackupError(`${target} already exists.`, { hint: 'Name a folder that does not exist.' })
  const inner = relative(resolve(dataDir), resolve(target))
  if (!inner.startsWith('..'))
    throw new BackupError(`${target} is inside ${dataDir}.`, { hint: 'Name a folder elsewhere, best on another disk.' })
  await copyWhole(dataDir, target)
}

/**
 * Puts a backup back as a data folder.
 *
 * What it had signed is harmless: the chain knows it already, by its nonce. So is what waits for one round, which the chain refuses a second
 * time. Other calls that were not signed yet, such as a bet, may have been sent since: they are forgotten.
 *
 * @returns how many calls were forgotten.
 * @throws {BackupError} if `dataDir` holds anything: a restore never overwrites a key.
 */
export async function restoreDataFolder(backup: string, dataDir: string): Promise<number> {
  if (!(await exists(backup)))
    throw new BackupError(`${backup} does not exist.`, { hint: 'Name a folder that a backup made.' })
  const inside = (await exists(dataDir)) ? await readdir(dataDir) : []
  if (inside.length > 0)
    throw new BackupError(`${dataDir} is not empty.`, {
      hint: 'Restore into a new folder, or move this one away first.',
    })
  await rm(dataDir, { recursive: true, force: true })
  let forgotten = 0
  await copyWhole(backup, dataDir, copy => {
    forgotten = forgetUnsigned(join(copy, JOURNAL_FILE))
  })
  return forgotten
}

/** A copy signs them under nonces of its own, whatever the peer that was backed up did with them. */
function forgetUnsigned(journal: string): number {
  if (!existsSync(journal)) return 0
  const db = openDatabase(journal)
  try {
    return Number(db.prepare("DELETE FROM outbox WHERE status = 'queued' AND through_round IS NULL").run().changes)
  } finally {
    db.close()
  }
}

async function copyWhole(source: string, target: string, finish: (copy: string) => void = () => {}): Promise<void> {
  const partial = join(dirname(target), `.${basename(target)}.${randomUUID()}.partial`)
  makeFolder(partial, 0o700)
  try {
    for (const name of await readdir(source)) {
      if (
        name === BUNDLES_FOLDER ||
        name === LOCK_FILE ||
        name === PID_FILE ||
        /(-wal|-shm|-journal|\.partial)$/.test(name)
      )
        continue
      if (name.endsWith('.sqlite')) copyDatabase(join(source, name), join(partial, name))
      else await cp(join(source, name), join(partial, name), { recursive: true, preserveTimestamps: true })
    }
    finish(partial)
    await rename(partial, target)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** A copy of one moment, with what still stands in the write-ahead log. */
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

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
