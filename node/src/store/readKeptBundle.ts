import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentId } from '#core/contentId.ts'
import type { ContentId } from '#core/hashes.ts'

/**
 * Reads a payload of a round from a peer's folder while the peer may be running and writing.
 *
 * @returns null if it is missing or damaged.
 */
export async function readKeptBundle(data: string, round: number, id: ContentId): Promise<Uint8Array | null> {
  const folder = join(data, 'bundles', String(round))
  const names = (await readdir(folder).catch(nullIfGone)) ?? []
  for (const name of names.filter(one => one.split('.')[0] === id.slice(2))) {
    const bytes = await readFile(join(folder, name)).catch(nullIfGone)
    if (bytes !== null && contentId(bytes) === id)
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return null
}

function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
