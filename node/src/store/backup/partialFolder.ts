import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError } from '#base/fileError.ts'
import { DataFolderLockedError, lockDataFolder } from '../lockDataFolder.ts'

const ending = /^\.[0-9a-f-]{36}\.partial$/
/** A folder is locked within milliseconds. */
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
        await rm(folder, { recursive: true, force: true })
        lock.release()
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Removes such folders that killed processes left. Those of a live process, in any container of this machine, are locked and stay. @returns their names. */
export function removeLeftFolders(parent: string, prefix: string, nowMs = Date.now()): string[] {
  const isLeft = (name: string) => {
    const found = statSync(join(parent, name), { throwIfNoEntry: false })
    return found?.isDirectory() && nowMs - found.mtimeMs >= MIN_AGE_MS && !isHeld(join(parent, name))
  }
  const isPartial = (name: string) => name.startsWith(prefix) && ending.test(name.slice(prefix.length))
  const left = readdirSync(parent).filter(name => isPartial(name) && isLeft(name))
  for (const name of left) rmSync(join(parent, name), { recursive: true, force: true })
  return left
}

/** Whether a process uses it, or it belongs to another user, who may remove it. */
function isHeld(folder: string): boolean {
  try {
    lockDataFolder(folder).release()
    return false
  } catch (error) {
    if (error instanceof DataFolderLockedError || error instanceof FileError) return true
    throw error
  }
}
