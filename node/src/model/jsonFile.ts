import { readFile, stat } from 'node:fs/promises'
import { ModelFileError } from './modelErrors.ts'

/**
 * Reads a JSON file of a model's folder, after a look at its size.
 *
 * @throws {ModelFileError} if it cannot be read, is no regular file, is larger than `maxBytes`, or is not JSON.
 */
export async function readJsonFile(path: string, maxBytes = 1 << 20): Promise<unknown> {
  const found = await stat(path).catch(cause => {
    throw new ModelFileError(path, 'file', 'cannot be read', { cause })
  })
  if (!found.isFile()) throw new ModelFileError(path, 'file', 'is not a regular file')
  if (found.size > maxBytes) throw new ModelFileError(path, 'file', `has ${found.size} bytes, more than ${maxBytes}`)
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new ModelFileError(path, 'file', cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read', { cause })
  }
}
