import { parseJson } from '#base/parseJson.ts'
import { ModelFileError } from '../modelErrors.ts'
import { readTextFile } from './textFile.ts'

/**
 * Reads a JSON file of a model's folder.
 *
 * @throws {ModelFileError} if it cannot be read, is not a regular file, is larger than `maxBytes`, is nested too deep, or is not JSON.
 */
export async function readJsonFile(path: string, maxBytes = 1 << 20): Promise<unknown> {
  const text = await readTextFile(path, maxBytes)
  return parseJson(text, (problem, cause) => new ModelFileError(path, 'file', problem, { cause }))
}
