import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { contentIdInTurns } from '#core/contentId.ts'
import { NodeError } from '#core/errors.ts'
import type { Hex } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import { makeFolder } from '#core/makeFolder.ts'

export class BundleTooLargeError extends NodeError {
  override readonly code = 'BUNDLE_TOO_LARGE'
}

/** Bodies on the disk by content id, in one folder a round so that a round is forgotten by removing its folder. */
export type Bundles = {
  /**
   * Keeps the bytes for as long as the round is kept.
   *
   * @throws {BundleTooLargeError}
   */
  put(bytes: Uint8Array, round: number): Promise<Hex>
  /** Null if they are not there, or no longer are what they were. */
  get(id: Hex): Promise<Uint8Array | null>
  has(id: Hex): boolean
  pruneBefore(round: number): Promise<void>
}

/** The largest body (a score sheet) is 16 MiB. */
const MAX_BUNDLE_BYTES = 16 * 1024 * 1024

export async function openBundles(
  folder: string,
  { logger, maxBytes = MAX_BUNDLE_BYTES }: { logger: Logger; maxBytes?: number },
): Promise<Bundles> {
  makeFolder(folder)
  const rounds = await readIndex(folder)
  const pathOf = (id: Hex, round: number) => join(folder, String(round), id.slice(2))
  return {
    has: id => rounds.has(id),
    async put(bytes, round) {
      if (bytes.byteLength > maxBytes)
        throw new BundleTooLargeError(`A body of ${bytes.byteLength} bytes where at most ${maxBytes} are kept.`, {
          hint: 'Whoever made it runs different software, or asked for too many tokens.',
        })
      const id = await contentIdInTurns(bytes)
      const known = rounds.get(id)
      if (known !== undefined && known >= round) return id
      makeFolder(join(folder, String(round)))
      await writeAtomically(pathOf(id, round), bytes)
      rounds.set(id, round)
      return id
    },
    async get(id) {
      const round = rounds.get(id)
      if (round === undefined) return null
      const bytes = await readFile(pathOf(id, round)).catch(error => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (bytes !== null && (await contentIdInTurns(bytes)) === id)
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      // A disk fault, or a hand in the folder. It can be fetched again; it must not be served.
      logger.warn('a bundle is damaged or gone and was forgotten', { contentId: id, round })
      rounds.delete(id)
      await rm(pathOf(id, round), { force: true })
      return null
    },
    async pruneBefore(round) {
      for (const name of await readdir(folder))
        if (/^\d+$/.test(name) && Number(name) < round) await rm(join(folder, name), { recursive: true, force: true })
      for (const [id, of] of rounds) if (of < round) rounds.delete(id)
    },
  }
}

/** Content id → newest round that holds it. Half-written files, which a kill may leave, are removed. */
async function readIndex(folder: string): Promise<Map<Hex, number>> {
  const rounds = new Map<Hex, number>()
  for (const round of (await readdir(folder)).filter(name => /^\d+$/.test(name)).map(Number))
    for (const name of await readdir(join(folder, String(round)))) {
      if (!/^[0-9a-f]{64}$/.test(name)) await rm(join(folder, String(round), name), { force: true })
      else rounds.set(`0x${name}`, Math.max(round, rounds.get(`0x${name}`) ?? 0))
    }
  return rounds
}

async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const partial = `${path}.${randomUUID()}`
  const file = await open(partial, 'wx')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, path)
}
