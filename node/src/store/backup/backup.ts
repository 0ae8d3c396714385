import { existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { freeBytesOf, RESERVED_BYTES } from '../diskSpace.ts'
import { PEER_KEY_FILE, SWARM_PEM_FILE } from '../folderNames.ts'
import { LOCK_FILE, PID_FILE } from '../lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '../openDatabase.ts'
import { folderEntries, isWhole } from './folderEntries.ts'
import { BackupError, copyJournal, removeLeftCopies } from './journalCopy.ts'
import { openPartialFolder, removeLeftFolders } from './partialFolder.ts'
import { decryptWithPassphrase, encryptWithPassphrase, PassphraseFileError } from './passphraseFile.ts'
import { type ArchiveEntry, ArchiveError, packArchive, unpackArchive } from './tarArchive.ts'

/** `bundles` is large and can be fetched again; the others belong to the running process. */
const LEFT_OUT: readonly string[] = ['bundles', LOCK_FILE, PID_FILE]

/**
 * Writes a data folder (keys, settings, journal and outbox, weights) without its bundles into one encrypted file, even while its node
 * runs. The file is a tar archive in the age format, readable by its owner only, and written atomically. What killed backups left in the
 * folder is removed.
 *
 * @throws {BackupError} as `checkTarget`, or if the journal is damaged.
 */
export async function backupDataFolder(
  dataDir: string,
  target: string,
  passphrase: string,
  cost?: number,
): Promise<void> {
  checkTarget(dataDir, target)
  removeLeftCopies(dataDir)
  makeFolder(dirname(resolve(target)))
  await writeFileAtomic(target, encryptWithPassphrase(packArchive(entriesOf(dataDir)), passphrase, cost), 0o600)
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
  const inner = relative(resolve(dataDir), resolve(target))
  if (!inner.startsWith('..'))
    throw new BackupError(`${target} is inside ${dataDir}.`, { hint: 'Name a file elsewhere, best on another disk.' })
}

async function* entriesOf(dataDir: string): AsyncGenerator<ArchiveEntry> {
  const isKept = (name: string) =>
    isWhole(name) && !LEFT_OUT.includes(name) && !/\.sqlite$|-(wal|shm|journal)$/.test(name)
  yield* folderEntries(dataDir, isKept)
  if (!existsSync(join(dataDir, JOURNAL_FILE))) return
  const { folder, remove } = await copyJournal(dataDir)
  try {
    yield* folderEntries(folder, name => name === JOURNAL_FILE)
  } finally {
    await remove()
  }
}

/** Checks that the backup exists and may be restored to the folder, before the passphrase is typed. */
interface Restoring {
  /**
   * Restores a backup as a data folder, atomically. Its calls for one round are harmless: the chain refuses them a second time. Other calls that
   * were open, such as a bet, may have been sent since, and are dropped: signed ones too, as the peer may have replaced them or signed them again
   * under another nonce.
   *
   * @returns how many calls were dropped.
   * @throws {PassphraseFileError} for a wrong passphrase, or a file that is damaged or not a backup.
   * @throws {ArchiveError} if the archive holds entries that a backup does not have.
   */
  restore(passphrase: string): Promise<number>
}

/** @throws {BackupError} if there is no such file, or `dataDir` holds anything: a restore never overwrites a key. */
export async function openBackup(backup: string, dataDir: string): Promise<Restoring> {
  const found = await stat(backup).catch(() => undefined)
  if (!found) throw new BackupError(`${backup} does not exist.`, { hint: 'Name a file that npx waggle backup made.' })
  if (!found.isFile())
    throw new BackupError(`${backup} is not a file.`, {
      hint: 'Name a file that npx waggle backup made. A copy of a folder is put back as it is, with cp -a.',
    })
  // A link could not be replaced by the folder, nor could a file.
  const target = await lstat(dataDir).catch(() => undefined)
  if (target && !target.isDirectory())
    throw new BackupError(`${dataDir} is not a folder${target.isSymbolicLink() ? ', but a symbolic link' : ''}.`, {
      hint: 'Name a folder that is empty or does not exist.',
    })
  const inside = target ? await readdir(dataDir) : []
  if (inside.length > 0)
    throw new BackupError(`${dataDir} is not empty.`, {
      hint: 'Restore into a new folder, or move this one away first.',
    })
  return {
    async restore(passphrase) {
      const file = await open(backup)
      try {
        return await unpackPeer(file, dataDir, passphrase).catch(error => {
          throw naming(backup, error)
        })
      } finally {
        await file.close()
      }
    },
  }
}

/** The layers below know the file as a stream. */
function naming(backup: string, error: unknown): unknown {
  if (!(error instanceof PassphraseFileError || error instanceof ArchiveError)) return error
  const { message, hint } = error
  return new (error.constructor as typeof PassphraseFileError)(`${backup}: ${message}`, { hint, cause: error })
}

async function unpackPeer(file: FileHandle, dataDir: string, passphrase: string): Promise<number> {
  const parent = dirname(resolve(dataDir))
  makeFolder(parent)
  const prefix = `.${basename(resolve(dataDir))}`
  removeLeftFolders(parent, prefix)
  const { size } = await file.stat()
  if (size + RESERVED_BYTES > (await freeBytesOf(parent)))
    throw new BackupError(`The backup takes ${Math.ceil(size / 2 ** 20)} MiB, more than is free in ${parent}.`, {
      hint: 'Free some space, or restore to another disk with --data.',
    })
  const partial = await openPartialFolder(parent, prefix)
  try {
    const peer = join(partial.folder, 'peer')
    await mkdir(peer, { mode: 0o700 })
    await unpackArchive(decryptWithPassphrase(file, passphrase), peer)
    if (![PEER_KEY_FILE, SWARM_PEM_FILE].some(name => existsSync(join(peer, name))))
      throw new BackupError('The archive contains no peer.', { hint: 'Name a file that npx waggle backup made.' })
    const forgotten = forgetOpen(join(peer, JOURNAL_FILE))
    // Replaces an empty folder, and fails for one that is not empty any more.
    await rename(peer, dataDir)
    return forgotten
  } finally {
    await partial.remove()
  }
}

/** Drops calls without a last round: a copy would sign them again under its own nonces, although the backed-up peer may have sent them. */
function forgetOpen(journal: string): number {
  if (!existsSync(journal)) return 0
  const db = openDatabase(journal)
  try {
    return Number(
      db.prepare("DELETE FROM outbox WHERE status IN ('queued', 'signed') AND through_round IS NULL").run().changes,
    )
  } finally {
    db.close()
  }
}
