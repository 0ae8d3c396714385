import { type FileHandle, open, stat } from 'node:fs/promises'
import { ModelFileError, unreadableFile } from '../modelErrors.ts'

/** Opens a regular file for a job. Others are not opened: a pipe would wait for its writer. */
export async function withRegularFile<T>(
  path: string,
  job: (file: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const found = await stat(path).catch(cause => {
    throw unreadableFile(path, cause)
  })
  if (!found.isFile())
    throw new ModelFileError(path, 'file', 'is not a regular file', { hint: 'Name a file, not a folder or a device.' })
  const file = await open(path, 'r').catch(cause => {
    throw unreadableFile(path, cause)
  })
  try {
    return await job(file, found.size)
  } finally {
    await file.close()
  }
}

/**
 * Fills `target` with the bytes from `position` on.
 *
 * @param field - what to call this part of the file in an error.
 * @throws {ModelFileError} if the file ends first.
 */
export async function readExactly<T extends Uint8Array>(
  file: FileHandle,
  path: string,
  field: string,
  position: number,
  target: T,
): Promise<T> {
  let done = 0
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, Math.min(target.length - done, 2 ** 30), position + done)
    if (bytesRead === 0) throw new ModelFileError(path, field, 'the file ends inside it')
    done += bytesRead
  }
  return target
}
