import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
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

/** Bytes that the unpacked files of one dataset may still take. */
export type UnpackSpace = { bytes: number }

/** At most half of the free space: an unpacked file lasts as long as its dataset, in a proposer until it stops. */
export async function findUnpackSpace(): Promise<UnpackSpace> {
  const { bavail, bsize } = await statfs(tmpdir())
  return { bytes: Math.min(MAX_TOTAL_BYTES, Math.floor((bavail * bsize) / 2)) }
}

/**
 * Unpacks a file of gzip into a temporary one, which lasts until it is closed. Neither is in memory as a whole: a dataset may have hundreds.
 *
 * @param space - loses what the unpacked file takes.
 * @throws {DatasetError} if it is damaged, is too long unpacked, or cannot be written.
 */
export async function unpackFile({ path, name }: OpenFile, space: UnpackSpace): Promise<OpenFile> {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-unpacked-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const target = join(folder, 'rows.jsonl')
  try {
    const most = Math.min(MAX_BYTES, space.bytes)
    await pipeline(createReadStream(path), createGunzip(), atMost(most), createWriteStream(target))
    const file = await openFile(target, name)
    space.bytes -= file.bytes
    // At once, so that a killed process leaves nothing behind; Windows only removes what is closed.
    await remove().catch(() => {})
    return { ...file, close: () => file.close().finally(remove) }
  } catch (cause) {
    await remove()
    const problem = `${name} cannot be unpacked into ${tmpdir()}: ${(cause as Error).message}.`
    throw new DatasetError('DATASET_FILE', problem, cause)
  }
}

const atMost = (most: number) =>
  async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.byteLength
      if (bytes > most) throw new RangeError(`more than the ${most} bytes that it may take`)
      yield chunk
    }
  }
