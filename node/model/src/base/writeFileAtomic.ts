import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file atomically: a reader, or a start after a crash or a power cut, sees the old content or the new, never a part. Of concurrent
 * writers the last one wins. Parts are written as they arrive, so a large file is never in memory as a whole. The data is on disk before the name
 * points to it (fsync of the file, rename, fsync of the folder).
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode = 0o666,
): Promise<void> {
  const temporary = temporaryName(path)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      const isWhole = typeof content === 'string' || content instanceof Uint8Array
      for await (const part of isWhole ? [content] : content) await file.writeFile(part)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** {@link writeFileAtomic} for a small file. */
export function writeFileAtomicSync(path: string, content: string | Uint8Array, mode = 0o666): void {
  const temporary = temporaryName(path)
  try {
    writeFileSync(temporary, content, { mode, flag: 'wx', flush: true })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolderSync(dirname(path))
}

/** Flushes a folder's list of names to the disk. */
export function syncFolderSync(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Whether a file is one that a killed process had not finished to write; its name begins with that of the file which it was to replace. */
export const isUnfinishedWrite = (name: string) => /\.\d+\.[0-9a-f-]{36}\.tmp$/.test(name)

const temporaryName = (path: string) => `${path}.${process.pid}.${randomUUID()}.tmp`
