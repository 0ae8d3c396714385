import { readFile, stat } from 'node:fs/promises'
import { ModelFileError, unreadableFile } from './modelErrors.ts'

/**
 * Reads a JSON file of a model's folder, after a look at its size.
 *
 * @throws {ModelFileError} if it cannot be read, is no regular file, is larger than `maxBytes`, or is not JSON.
 */
export async function readJsonFile(path: string, maxBytes = 1 << 20): Promise<unknown> {
  const found = await stat(path).catch(cause => {
    throw unreadableFile(path, cause)
  })
  if (!found.isFile()) throw new ModelFileError(path, 'file', 'is not a regular file')
  if (found.size > maxBytes) throw new ModelFileError(path, 'file', `has ${found.size} bytes, more than ${maxBytes}`)
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw cause instanceof SyntaxError
      ? new ModelFileError(path, 'file', 'is not JSON', { cause })
      : unreadableFile(path, cause)
  }
}
