import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { DatasetError } from './datasetError.ts'
import { type OpenFile, openFile } from './openFile.ts'

/** Bytes that one unpacked file may have. */
const MAX_BYTES = 1 << 28
/** Bytes that all unpacked files of a dataset may have. */
const MAX_TOTAL_BYTES = 2 ** 33

/** Limits that are left to the unpacked files of one dataset. */
export type UnpackSpace = {
  /** Bytes to unpack, also of files that are refused: many of them would take as long. The same on every machine. */
  bytes: number
  /** Bytes on the disk. */
  diskBytes: number
}

/** At most half of the free space: an unpacked file lasts as long as its dataset, in a proposer until it stops. */
export async function findUnpackSpace(): Promise<UnpackSpace> {
  // A dataset without packed files needs no temporary folder.
  const { bavail, bsize } = await statfs(tmpdir()).catch(() => ({ bavail: 0, bsize: 0 }))
  return { bytes: MAX_TOTAL_BYTES, diskBytes: Math.floor((bavail * bsize) / 2) }
}

/**
 * Unpacks a file of gzip into a temporary one, which lasts until it is closed. Neither is in memory as a whole: a dataset may have hundreds.
 *
 * @param space - loses what is unpacked.
 * @throws {DatasetError} DATASET_FILE if it is damaged or too long, DATASET_UNPACK if the temporary folder cannot take it.
 */
export async function unpackFile({ path, name }: OpenFile, space: UnpackSpace): Promise<OpenFile> {
  const folder = join(tmpdir(), `waggle-unpacked-${randomUUID()}`)
  const remove = () => rm(folder, { recursive: true, force: true })
  const target = join(folder, 'rows.jsonl')
  try {
    await mkdir(folder, { mode: 0o700 })
    await pipeline(createReadStream(path), createGunzip(), within(space), createWriteStream(target))
    const file = await openFile(target, name)
    space.diskBytes -= file.bytes
    // At once, so that a killed process leaves nothing behind; Windows only removes what is closed.
    await remove().catch(() => {})
    return { ...file, close: () => file.close().finally(remove) }
  } catch (cause) {
    await remove()
    const code = isOfFile(cause) ? 'DATASET_FILE' : 'DATASET_UNPACK'
    throw new DatasetError(code, `${name} cannot be unpacked into ${tmpdir()}: ${(cause as Error).message}.`, cause)
  }
}

/** Whether any machine would refuse the file: it is too long, or zlib finds it damaged. */
const isOfFile = (cause: unknown) =>
  cause instanceof RangeError || !!(cause as NodeJS.ErrnoException).code?.startsWith('Z_')

const within = (space: UnpackSpace) =>
  async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0
    const most = Math.min(MAX_BYTES, space.bytes)
    for await (const chunk of chunks) {
      bytes += chunk.byteLength
      space.bytes = Math.max(0, space.bytes - chunk.byteLength)
      if (bytes > most) throw new RangeError(`more than the ${most} bytes that it may take`)
      if (bytes > space.diskBytes) throw new Error(`more than the ${space.diskBytes} bytes that are free for it`)
      yield chunk
    }
  }
