import { existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { freeBytesOf, RESERVED_BYTES } from '../diskSpace.ts'
import { ACCOUNT_KEY_FILE, LOST_AND_FOUND, PEER_KEY_FILE, SWARM_PEM_FILE } from '../folderNames.ts'
import { JOURNAL_FILE, openDatabase } from '../openDatabase.ts'
import { BackupError } from './journalCopy.ts'
import { openPartialFolder, removeLeftFolders } from './partialFolder.ts'
import { decryptWithPassphrase, PassphraseFileError } from './passphraseFile.ts'
import { ArchiveError, unpackArchive } from './tarArchive.ts'

/** A peer has one of them. */
const KEY_FILES: readonly string[] = [PEER_KEY_FILE, SWARM_PEM_FILE]
/** Moved last, in this order. */
const LAST: readonly string[] = [ACCOUNT_KEY_FILE, ...KEY_FILES]
/** Prefix of what is not complete, in a folder that existed before. */
const INSIDE = '.restore'

interface Restoring {
  /**
   * Restores a backup as a data folder; a kill leaves none, or one without a peer's key that no peer starts in. Its calls for one round are harmless: the chain refuses them a second time. Other calls that
   * were open, such as a bet, may have been sent since, and are dropped: signed ones too, as the peer may have replaced them or signed them again
   * under another nonce.
   *
   * @returns how many calls were dropped.
   * @throws {PassphraseFileError} for a wrong passphrase, or a file that is damaged or not a backup.
   * @throws {ArchiveError} if the archive holds entries that a backup does not have.
   */
  restore(passphrase: string): Promise<number>
}

/**
 * Checks that the backup exists and may be restored to the folder, before the passphrase is typed. What killed restores left in the folder is
 * removed.
 *
 * @throws {BackupError} if there is no such file, or `dataDir` holds anything: a restore never overwrites a key.
 */
export async function openBackup(backup: string, dataDir: string): Promise<Restoring> {
  const found = await stat(backup).catch(() => undefined)
  if (!found) throw new BackupError(`${backup} does not exist.`, { hint: 'Name a file that npx waggle backup made.' })
  if (!found.isFile())
    throw new BackupError(`${backup} is not a file.`, {
      hint: 'Name a file that npx waggle backup made. A copy of a folder is put back as it is, with cp -a.',
    })
  const target = await lstat(dataDir).catch(() => undefined)
  if (target && !target.isDirectory())
    throw new BackupError(`${dataDir} is not a folder${target.isSymbolicLink() ? ', but a symbolic link' : ''}.`, {
      hint: 'Name a folder that is empty or does not exist.',
    })
  if (target) {
    removeLeftFolders(dataDir, INSIDE)
    await requireEmpty(dataDir)
  }
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

/** Where a peer is unpacked, on the disk that it will be on, and how it gets from there to its folder. */
type Workplace = { parent: string; prefix: string; put(peer: string): Promise<void> }

/** A folder that exists may be a mount, which no other folder can replace, in a folder that this user may not write to. */
function workplaceOf(dataDir: string): Workplace {
  const target = resolve(dataDir)
  if (existsSync(target)) return { parent: target, prefix: INSIDE, put: peer => moveInto(target, peer) }
  return { parent: dirname(target), prefix: `.${basename(target)}`, put: peer => rename(peer, target) }
}

/**
 * Entry by entry. The journal is first and the keys last: with a journal and without its key, no peer starts in the folder, nor makes a new key.
 */
async function moveInto(target: string, peer: string): Promise<void> {
  await requireEmpty(target, basename(dirname(peer)))
  await closeToOthers(target)
  const place = (name: string) => (name === JOURNAL_FILE ? -1 : LAST.indexOf(name) + 1)
  const names = (await readdir(peer)).sort((one, other) => place(one) - place(other))
  for (const name of names) await rename(join(peer, name), join(target, name))
}

/** As a folder that a restore makes: the journal is protected by its folder alone. Another user's folder stays as it is. */
async function closeToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(error => {
    if (error.code !== 'EPERM') throw error
  })
}

async function requireEmpty(dataDir: string, ...apartFrom: string[]): Promise<void> {
  const ignored = [LOST_AND_FOUND, '.gitignore', ...apartFrom]
  if ((await readdir(dataDir)).every(name => ignored.includes(name))) return
  throw new BackupError(`${dataDir} is not empty.`, {
    hint: 'Restore into a new folder, or empty this one first: move away what is in it.',
  })
}

async function unpackPeer(file: FileHandle, dataDir: string, passphrase: string): Promise<number> {
  const { parent, prefix, put } = workplaceOf(dataDir)
  makeFolder(parent)
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
    if (!KEY_FILES.some(name => existsSync(join(peer, name))))
      throw new BackupError('The archive contains no peer.', { hint: 'Name a file that npx waggle backup made.' })
    const forgotten = forgetOpen(join(peer, JOURNAL_FILE))
    await put(peer)
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
