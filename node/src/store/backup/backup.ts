import { existsSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { LAST_READING } from '@waggle/deployments/protocol'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { LOST_AND_FOUND } from '../folderNames.ts'
import { LOCK_FILE, PID_FILE } from '../lockDataFolder.ts'
import { JOURNAL_FILE } from '../openDatabase.ts'
import { folderEntries, isWhole } from './folderEntries.ts'
import { BackupError, copyJournal, lastRound, removeLeftCopies } from './journalCopy.ts'
import { encryptWithPassphrase } from './passphraseFile.ts'
import { type ArchiveEntry, packArchive } from './tarArchive.ts'

/** These belong to the running process, or to the disk. */
const LEFT_OUT: readonly string[] = [LOCK_FILE, PID_FILE, LOST_AND_FOUND]

/** Rounds of own payloads that a backup has: nobody else can be sure to have what a jury may ask for. */
const PAYLOAD_ROUNDS = LAST_READING + 2

/**
 * Writes a data folder (keys, settings, journal and outbox, weights, own payloads of the last rounds) into one encrypted file, even while
 * its node runs. Other payloads and downloaded models are left out. The file is a tar archive in the age format, readable by its owner only, and written atomically. What killed backups left
 * in the folder is removed.
 *
 * @param models - folder of downloaded models, which may be inside of `dataDir`.
 * @throws {BackupError} as `checkTarget`, or if the journal is damaged.
 */
export async function backupDataFolder(
  dataDir: string,
  target: string,
  passphrase: string,
  { models, cost }: { models: string; cost?: number },
): Promise<void> {
  checkTarget(dataDir, target)
  removeLeftCopies(dataDir)
  makeFolder(dirname(resolve(target)))
  await writeFileAtomic(target, encryptWithPassphrase(packArchive(entriesOf(dataDir, models)), passphrase, cost), 0o600)
}

/**
 * Checks whether a backup may be written there, before the passphrase is typed.
 *
 * @throws {BackupError} if `target` exists or is within `dataDir`, or `dataDir` does not exist.
 */
export function checkTarget(dataDir: string, target: string): void {
  if (!existsSync(dataDir))
    throw new BackupError(`${dataDir} does not exist.`, { hint: 'Name the data folder of a node with --data.' })
  if (existsSync(target))
    throw new BackupError(`${target} already exists.`, { hint: 'Name a file that does not exist.' })
  // The next backup would contain this one.
  if (realPath(target).startsWith(`${realPath(dataDir)}${sep}`))
    throw new BackupError(`${target} is inside ${dataDir}.`, { hint: 'Name a file elsewhere, best on another disk.' })
}

/** A path with its links resolved, as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path)
  return existsSync(whole) ? realpathSync(whole) : join(realPath(dirname(whole)), basename(whole))
}

async function* entriesOf(dataDir: string, models: string): AsyncGenerator<ArchiveEntry> {
  const isDatabase = (path: string) => /^[^/]*(\.sqlite|-(wal|shm|journal))$/.test(path)
  const modelsPath = realPath(models)
  const isModels = (path: string) => realPath(join(dataDir, path)) === modelsPath
  const isNeeded = await ownPayloads(dataDir)
  const isKept = (path: string) =>
    isWhole(path) && !LEFT_OUT.includes(path) && !isDatabase(path) && !isModels(path) && isNeeded(path)
  yield* folderEntries(dataDir, isKept)
  if (!existsSync(join(dataDir, JOURNAL_FILE))) return
  const { folder, remove } = await copyJournal(dataDir)
  try {
    yield* folderEntries(folder, name => name === JOURNAL_FILE)
  } finally {
    await remove()
  }
}

/**
 * Whether a path is none of a payload, or an own one of the last rounds: of others the name has the author. Folders do not tell the last round: that
 * of one far ahead stays after a false clock.
 */
async function ownPayloads(dataDir: string): Promise<(path: string) => boolean> {
  const names = await readdir(join(dataDir, 'bundles')).catch(() => [])
  const last = lastRound(dataDir) ?? Math.max(...names.filter(name => /^\d+$/.test(name)).map(Number))
  return path => {
    const [folder, round, name] = path.split('/')
    if (folder !== 'bundles' || round === undefined) return true
    return Number(round) > last - PAYLOAD_ROUNDS && (name === undefined || /^[0-9a-f]{64}$/.test(name))
  }
}
