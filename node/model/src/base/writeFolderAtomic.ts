import { randomUUID } from 'node:crypto'
import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { FolderError, makeFolder } from './makeFolder.ts'
import { isUnfinishedWrite } from './writeFileAtomic.ts'

/** A folder in progress changes every few seconds. After this time without a change, it is a leftover of a killed process. */
const LEFT_MS = 3_600_000

/**
 * Makes a folder that is there whole or not at all: it is filled under a temporary name next to it, and renamed. Of concurrent writers the first one
 * wins. A failure leaves nothing behind; what a killed process left is removed by the next write of the same folder.
 *
 * @throws {FolderError} if the folder cannot be made, or has content by then.
 */
export async function writeFolderAtomic(path: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const folder = resolve(path) // next to it, whatever it ends in
  const temporary = `${folder}.${process.pid}.${randomUUID()}.tmp`
  makeFolder(temporary)
  await removeLeftovers(folder)
  try {
    await fill(temporary)
    await rename(temporary, folder).catch(cause => {
      throw new FolderError(path, cause)
    })
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
}

async function removeLeftovers(folder: string): Promise<void> {
  const parent = dirname(folder)
  const prefix = `${basename(folder)}.`
  const names = await readdir(parent).catch(() => []) // a parent may be writable and not readable
  for (const name of names) {
    const path = join(parent, name)
    if (!name.startsWith(prefix) || !isUnfinishedWrite(name)) continue
    // A folder that cannot be read or removed stays.
    if (await isLeft(path).catch(() => false)) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

/** Whether it is a folder, and no link, of this user, in which nothing has changed for long. */
async function isLeft(path: string): Promise<boolean> {
  const folder = await lstat(path)
  if (!folder.isDirectory() || folder.uid !== (process.getuid?.() ?? folder.uid)) return false
  const files = (await readdir(path)).map(async name => (await lstat(join(path, name))).mtimeMs)
  return Date.now() - Math.max(folder.mtimeMs, ...(await Promise.all(files))) > LEFT_MS
}
