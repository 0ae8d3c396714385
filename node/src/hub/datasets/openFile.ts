import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { DatasetError } from './datasetError.ts'

/** A file that is read in pieces. */
export type OpenFile = {
  readonly path: string
  /** Name in the dataset: its path in the folder that was opened; of a file that was named itself, its base name. */
  readonly name: string
  readonly bytes: number
  /** @throws {DatasetError} if the file has become shorter. */
  read(from: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** @throws {DatasetError} if there is no such file, or it is a device or a pipe. */
export async function openFile(path: string, name: string = basename(path)): Promise<OpenFile> {
  const unopened = (cause: unknown) => {
    throw new DatasetError('DATASET_FILE', `${path} cannot be opened.`, cause)
  }
  // Before it is opened: a pipe would wait for its writer.
  const found = await stat(path).catch(unopened)
  if (!found.isFile()) throw new DatasetError('DATASET_FILE', `${path} is not a regular file.`)
  const handle = await open(path, 'r').catch(unopened)
  return {
    path,
    name,
    bytes: (await handle.stat()).size,
    async read(from, length) {
      const buffer = new Uint8Array(length)
      let at = 0
      while (at < length) {
        const { bytesRead } = await handle.read(buffer, at, length - at, from + at)
        if (bytesRead === 0) throw new DatasetError('DATASET_FILE', `${name} became shorter while it was read.`)
        at += bytesRead
      }
      return buffer
    },
    close: () => handle.close(),
  }
}
