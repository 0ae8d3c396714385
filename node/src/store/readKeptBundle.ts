import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'

/**
 * A body that a peer's folder keeps of a round, read beside the peer, which may be running and writing.
 *
 * @returns null if it is not there, or is not what it was.
 */
export async function readKeptBundle(data: string, round: number, id: Hex): Promise<Uint8Array | null> {
  const bytes = await readFile(join(data, 'bundles', String(round), id.slice(2))).catch(error => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes === null || contentId(bytes) !== id) return null
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
