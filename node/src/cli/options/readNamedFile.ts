import { FileError } from '#base/fileError.ts'
import { readSmallFile } from '#base/readSmallFile.ts'
import { UsageError } from '../usageError.ts'

/**
 * Reads a file that the operator named or wrote.
 *
 * @throws {UsageError} with the reason of {@link readSmallFile}.
 */
export function readNamedFile(path: string, maxBytes: number): string {
  try {
    return readSmallFile(path, maxBytes).toString()
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new UsageError(cause.message, { hint: cause.hint, cause })
  }
}
