import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { DatasetError } from './datasetError.ts'
import { type OpenFile, openFile } from './openFile.ts'

/** Bytes that one unpacked file may have. */
const MAX_BYTES = 1 << 28

/**
 * Unpacks a file of gzip into a temporary one, which lasts until it is closed. Neither is in memory as a whole: a dataset may have hundreds.
 *
 * @throws {DatasetError} if it is damaged, is longer than `most` bytes unpacked, or cannot be written.
 */
export async function unpackFile({ path, name }: OpenFile, most = MAX_BYTES): Promise<OpenFile> {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-unpacked-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const target = join(folder, 'rows.jsonl')
  try {
    await pipeline(createReadStream(path), createGunzip(), atMost(most), createWriteStream(target))
    const file = await openFile(target, name)
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
      if (bytes > most) throw new RangeError(`more than ${most} bytes`)
      yield chunk
    }
  }
