import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentId } from '#core/contentId.ts'
import type { ContentId } from '#core/hashes.ts'

/**
 * Reads a payload of a round from a peer's folder while the peer may be running and writing. The peer moves a policy that also samples in a later round
 * to the folder of that round.
 *
 * @returns null if it is missing or damaged.
 */
export async function readKeptBundle(data: string, round: number, id: ContentId): Promise<Uint8Array | null> {
  const folder = join(data, 'bundles')
  const later = (await namesIn(folder)).map(Number).filter(other => other > round)
  // In this order a payload that moves meanwhile is found in its new place.
  for (const kept of [round, ...later.sort((a, b) => a - b)]) {
    const names = await namesIn(join(folder, String(kept)))
    for (const name of names.filter(one => one.split('.')[0] === id.slice(2))) {
      const bytes = await readFile(join(folder, String(kept), name)).catch(nullIfGone)
      if (bytes !== null && contentId(bytes) === id)
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
  }
  return null
}

const namesIn = async (folder: string) => (await readdir(folder).catch(nullIfGone)) ?? []

function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
