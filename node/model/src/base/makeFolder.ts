import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { NodeError } from './errors.ts'

/** A folder could not be created. */
export class FolderError extends NodeError {
  readonly code = 'FOLDER'

  constructor(path: string, cause: unknown) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause)
    const isTaken = ['EEXIST', 'ENOTDIR', 'ENOTEMPTY'].includes(reason)
    super(`${path} cannot be made (${reason}).`, {
      hint: isTaken
        ? 'Another file or folder has its name: move it away, or name another folder.'
        : 'Name a folder that you may write to.',
      cause,
    })
  }
}

/**
 * Creates a folder and its missing parents. Does not use `recursive`: Node then retries forever where a parent exists but the system reports it
 * missing, as Linux does under /proc.
 *
 * @throws {FolderError}
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    if (isFolder(path)) return
    const missing = [resolve(path)]
    for (let at = dirname(resolve(path)); !isThere(at); at = dirname(at)) missing.unshift(at)
    for (const folder of missing) makeOne(folder, mode)
  } catch (cause) {
    throw new FolderError(path, cause)
  }
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(folder)) throw error
  }
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
