import { readFile, stat } from 'node:fs/promises'
import { ModelFileError, unreadableFile } from '../modelErrors.ts'

/**
 * Reads a text of a model's folder after checking its kind and size: a pipe would wait for its writer, and a device has no end.
 *
 * @throws {ModelFileError} if it cannot be read, is not a regular file, or is larger than `maxBytes`.
 */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  const unreadable = (cause: unknown): never => {
    throw unreadableFile(path, cause)
  }
  const found = await stat(path).catch(unreadable)
  if (!found.isFile()) throw new ModelFileError(path, 'file', 'is not a regular file')
  if (found.size > maxBytes) throw new ModelFileError(path, 'file', `has ${found.size} bytes, more than ${maxBytes}`)
  return readFile(path, 'utf8').catch(unreadable)
}

/** The same; null if there is no such file. */
export async function readTextFileIfAny(path: string, maxBytes: number): Promise<string | null> {
  return readTextFile(path, maxBytes).catch(error => {
    if (error instanceof ModelFileError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      return null
    throw error
  })
}
