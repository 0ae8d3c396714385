import { type FileHandle, open, stat } from 'node:fs/promises'
import { ModelFileError, unreadableFile } from '../modelErrors.ts'

/**
 * Opens a regular file for a job. Others are not opened: a pipe would wait for its writer.
 *
 * @param job - is given the file's state, which every write and replacement changes.
 * @param due - the state that the file had when its header was read.
 * @throws {ModelFileError} also if the file was changed meanwhile: two versions would be mixed.
 */
export async function withRegularFile<T>(
  path: string,
  job: (file: FileHandle, size: number, state: string) => Promise<T>,
  due?: string,
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
    const { size, state } = await describe(file)
    if ((due ?? state) !== state) throw changedFile(path)
    const result = await job(file, size, state).catch(async cause => {
      throw (await describe(file)).state === state ? cause : changedFile(path, cause)
    })
    if ((await describe(file)).state !== state) throw changedFile(path)
    return result
  } finally {
    await file.close()
  }
}

async function describe(file: FileHandle): Promise<{ size: number; state: string }> {
  const { size, ino, mtimeNs } = await file.stat({ bigint: true })
  return { size: Number(size), state: `${ino} ${size} ${mtimeNs}` }
}

/** The error about a file that was written to or replaced meanwhile. */
export function changedFile(path: string, cause?: unknown): ModelFileError {
  return new ModelFileError(path, 'file', 'was changed while it was read', {
    hint: 'Run it again once nothing writes to this file.',
    cause,
  })
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
