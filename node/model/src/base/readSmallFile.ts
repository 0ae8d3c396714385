import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { asFileError, FileError } from './fileError.ts'

/**
 * Reads a file of keys or settings. A pipe or a device is refused: it may never end.
 *
 * @throws {FileError} that names the file, if it cannot be read, is not a regular file, or is larger than `maxBytes`.
 */
export function readSmallFile(path: string, maxBytes: number): Buffer {
  let file: number
  try {
    // Opening a pipe would wait for its writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    throw leadsNowhere(path, cause) ?? asFileError(cause)
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile())
      throw new FileError(`${path} is not a regular file.`, { hint: 'Put a file there, or move it away.' })
    if (found.size > maxBytes)
      throw new FileError(`${path} has ${found.size} bytes, more than ${maxBytes}.`, {
        hint: 'It is probably another file: restore the right one, or move it away.',
      })
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether the name exists, even as a dangling link, for which `existsSync` returns false. */
export function isNamed(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function leadsNowhere(path: string, cause: unknown): FileError | null {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || !isNamed(path)) return null
  return new FileError(`${path} is a symbolic link to a file that does not exist.`, {
    hint: 'Mount or restore its target, or remove the link.',
    cause,
  })
}
