import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveEntry } from './tarArchive.ts'

/** A folder whose files are replaced while they are opened is read again: a save is short, and rounds pass between two. */
const MAX_TRIES = 20

/**
 * A folder's plain files and folders, including targets of links, even while its peer runs.
 *
 * The files of one folder are from one moment, so weights are never paired with the optimizer's state of other weights.
 *
 * @param isKept - by an entry's path in the folder, with segments by `/`.
 */
export async function* folderEntries(
  folder: string,
  isKept: (path: string) => boolean,
  prefix = '',
): AsyncGenerator<ArchiveEntry> {
  const isKeptHere = (name: string) => isKept(`${prefix}${name}`)
  const opened = await openAll(folder, isKeptHere)
  try {
    for (const [name, file] of opened) {
      const { size, mode, mtimeMs } = await file.stat()
      const content = size > 0 ? file.createReadStream({ start: 0, end: size - 1, autoClose: false }) : nothing()
      yield { path: `${prefix}${name}`, mode, modifiedSec: mtimeMs / 1000, file: { size, content } }
    }
  } finally {
    await closeAll(opened)
  }
  for (const name of (await readdir(folder)).filter(isKeptHere).sort()) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!found?.isDirectory()) continue
    yield { path: `${prefix}${name}`, mode: found.mode, modifiedSec: found.mtimeMs / 1000 }
    yield* folderEntries(join(folder, name), isKept, `${prefix}${name}/`)
  }
}

/** Whether the path is that of a complete file, not of one that is being written. */
export const isWhole = (path: string) => !/\.(tmp|partial)$/.test(path)

/** Open handles keep their file even if its name is reused. */
async function openAll(folder: string, isKept: (name: string) => boolean): Promise<Map<string, FileHandle>> {
  for (let tries = 1; ; tries++) {
    const opened = new Map<string, FileHandle>()
    try {
      for (const name of await plainFiles(folder, isKept)) opened.set(name, await open(join(folder, name)))
      if (await isUnchanged(folder, isKept, opened)) return opened
      if (tries === MAX_TRIES) throw new Error(`${folder} keeps changing`)
    } catch (error) {
      await closeAll(opened)
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MAX_TRIES) throw error
      continue
    }
    await closeAll(opened)
  }
}

async function plainFiles(folder: string, isKept: (name: string) => boolean): Promise<string[]> {
  const names: string[] = []
  for (const name of (await readdir(folder)).filter(isKept).sort())
    if ((await stat(join(folder, name)).catch(() => undefined))?.isFile()) names.push(name)
  return names
}

async function isUnchanged(
  folder: string,
  isKept: (name: string) => boolean,
  opened: ReadonlyMap<string, FileHandle>,
): Promise<boolean> {
  const names = await plainFiles(folder, isKept)
  if (names.length !== opened.size) return false
  for (const name of names) {
    const [now, then] = [await stat(join(folder, name)), await opened.get(name)?.stat()]
    if (now.ino !== then?.ino || now.dev !== then.dev) return false
  }
  return true
}

async function closeAll(opened: ReadonlyMap<string, FileHandle>): Promise<void> {
  for (const file of opened.values()) await file.close()
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
