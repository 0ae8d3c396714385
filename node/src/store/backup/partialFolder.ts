import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDataFolderLocked, lockDataFolder, PID_FILE } from '../lockDataFolder.ts'

const ending = /^\.[0-9a-f-]{36}\.partial$/
/** A folder is locked within milliseconds of being made. */
const MIN_AGE_MS = 60_000

export type PartialFolder = {
  folder: string
  remove(): Promise<void>
}

/**
 * Makes a folder `PREFIX.UUID.partial` for what is not encrypted and not complete. Only its owner may read it, and it is locked until it is
 * removed.
 */
export async function openPartialFolder(parent: string, prefix: string): Promise<PartialFolder> {
  const folder = join(parent, `${prefix}.${randomUUID()}.partial`)
  await mkdir(folder, { mode: 0o700 })
  try {
    const lock = lockDataFolder(folder)
    return {
      folder,
      async remove() {
        await rm(folder, { recursive: true, force: true }).finally(lock.release)
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Removes such folders that killed processes left. Those of a live process, in any container of this machine, are locked and stay. Others may write to
 * the parent: only folders that nobody else can have made or changed are opened. What cannot be removed stays.
 *
 * @returns the names of the removed ones.
 */
export function removeLeftFolders(parent: string, prefix: string, nowMs = Date.now()): string[] {
  const isPartial = (name: string) => name.startsWith(prefix) && ending.test(name.slice(prefix.length))
  return namesIn(parent).filter(name => isPartial(name) && removeLeft(join(parent, name), nowMs))
}

function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent)
  } catch {
    // A folder that may be written to and not listed.
    return []
  }
}

function removeLeft(folder: string, nowMs: number): boolean {
  try {
    if (!isOwn(folder) || isNew(folder, nowMs) || isDataFolderLocked(folder)) return false
    rmSync(folder, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

/** Whether it is a folder, and no link, that this user alone can have filled. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0
}

/** Whether its process may not have locked it yet. */
const isNew = (folder: string, nowMs: number) =>
  !existsSync(join(folder, PID_FILE)) && nowMs - lstatSync(folder).mtimeMs < MIN_AGE_MS
