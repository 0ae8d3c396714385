import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { contentIdYielding } from '#core/contentId.ts'
import { NodeError } from '#core/errors.ts'
import type { ContentId } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { makeFolder } from '#core/makeFolder.ts'
import { MAX_BODY_BYTES } from '#core/payloads/bodySizes.ts'
import { writeFileAtomic } from '#core/writeFileAtomic.ts'
import { type BodyIndex, createBodyIndex, fileNameOf, readFolder } from './bodyIndex.ts'
import { type BodyOwner, createBodyQuota, defaultQuotas, type KeptBody, type QuotaLimits } from './bodyQuota.ts'
import { asDiskFull, DiskFullError, freeBytesOf, isDiskFull, RESERVED_BYTES } from './diskSpace.ts'

export class BundleTooLargeError extends NodeError {
  override readonly code = 'BUNDLE_TOO_LARGE'
}

/** Why a body of another peer is not kept. */
type KeepRefusal = 'too large' | 'over quota' | 'no disk space'

/** Bodies on the disk by content id, in one folder a round so that a round is forgotten by removing its folder. */
export type Bundles = {
  /**
   * Keeps a body of our own for as long as the round is kept.
   *
   * @throws {BundleTooLargeError | DiskFullError}
   */
  put(bytes: Uint8Array, round: number): Promise<ContentId>
  /** Keeps a body of another peer within the quotas; the peer's own oldest ones are evicted. Null: it is kept. */
  keep(bytes: Uint8Array, round: number, owner: BodyOwner): Promise<KeepRefusal | null>
  /** Whether {@link keep} would take so many bytes now: asked before they are fetched. */
  wouldKeep(bytes: number, round: number, owner: BodyOwner): boolean
  /** Null if they are not there, or no longer are what they were. */
  get(id: ContentId): Promise<Uint8Array | null>
  has(id: ContentId): boolean
  /** Bytes; 0 for what is not there. */
  sizeOf(id: ContentId): number
  /** Removes what was kept for an owner, null for this peer, and is worth nothing any more. */
  forget(id: ContentId, owner: BodyOwner | null): Promise<void>
  pruneBefore(round: number): Promise<void>
}

type BundlesOptions = {
  logger: Logger
  maxBytes?: number
  quotas?: QuotaLimits
  /** Of the disk, bytes. */
  readFree?: (folder: string) => Promise<number>
  writeFile?: (path: string, bytes: Uint8Array) => Promise<void>
}

/** Times that a write begins again whose folder was removed meanwhile. */
const WRITES = 3

/** What is over the quotas, because they were lowered, is removed at once. */
export async function openBundles(folder: string, options: BundlesOptions): Promise<Bundles> {
  const { logger, maxBytes = MAX_BODY_BYTES, quotas = defaultQuotas, readFree = freeBytesOf } = options
  makeFolder(folder)
  const quota = createBodyQuota(quotas)
  const index = createBodyIndex(await readFolder(folder), quota)
  const files = createBodyFiles(folder, index, { readFree, writeTo: options.writeFile ?? writeFileAtomic })
  const excess = quota.excess()
  for (const body of excess) await files.remove(body)
  if (excess.length > 0) logger.warn('bodies over the quotas were removed', { bodies: excess.length })

  return {
    has: id => index.newest(id) !== undefined,
    sizeOf: id => index.newest(id)?.bytes ?? 0,
    async forget(id, owner) {
      for (let body = index.of(id, owner); body !== undefined; body = index.of(id, owner)) await files.remove(body)
    },
    async put(bytes, round) {
      if (bytes.byteLength > maxBytes)
        throw new BundleTooLargeError(`A body of ${bytes.byteLength} bytes where at most ${maxBytes} are kept.`, {
          hint: 'Whoever made it runs different software, or asked for too many tokens.',
        })
      const contentId = await contentIdYielding(bytes)
      const known = index.of(contentId, null)
      if (known !== undefined && known.round >= round) return contentId
      await files.write({ contentId, round, bytes: bytes.byteLength, owner: null }, bytes)
      return contentId
    },
    async keep(bytes, round, owner) {
      if (bytes.byteLength > maxBytes) return 'too large'
      const contentId = await contentIdYielding(bytes)
      const known = index.of(contentId, owner)
      if (known !== undefined && known.round >= round) return null
      const gone = quota.roomFor(owner, round, bytes.byteLength)
      if (gone === null) return 'over quota'
      const removed = Promise.all(gone.map(files.remove))
      removed.catch(() => {}) // it is awaited below, once the write has ended
      try {
        await files.write({ contentId, round, bytes: bytes.byteLength, owner }, bytes)
        return null
      } catch (error) {
        if (!isDiskFull(error)) throw error
        return 'no disk space'
      } finally {
        await removed
      }
    },
    wouldKeep: (bytes, round, owner) => bytes <= maxBytes && quota.roomFor(owner, round, bytes) !== null,
    async get(id) {
      for (let body = index.newest(id); body !== undefined; body = index.newest(id)) {
        const bytes = await files.read(body)
        if (bytes !== null && (await contentIdYielding(bytes)) === id)
          return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        // Its write failed, or it was evicted.
        if (index.of(id, body.owner) !== body) continue
        // A disk fault, or a hand in the folder. It can be fetched again; it must not be served.
        logger.warn('a bundle is damaged or gone and was forgotten', { contentId: id, round: body.round })
        await files.remove(body)
      }
      return null
    },
    async pruneBefore(round) {
      for (const body of index.before(round)) index.remove(body)
      for (const name of await readdir(folder))
        if (/^\d+$/.test(name) && Number(name) < round)
          await rm(join(folder, name), { recursive: true, force: true, maxRetries: WRITES })
    },
  }
}

type Disk = {
  readFree: (folder: string) => Promise<number>
  writeTo: (path: string, bytes: Uint8Array) => Promise<void>
}

/** The files of bodies. A body enters the index before it is written, so that writes under way are within the quotas together. */
function createBodyFiles(folder: string, index: BodyIndex, { readFree, writeTo }: Disk) {
  const pathOf = (body: KeptBody) => join(folder, String(body.round), fileNameOf(body))
  const writing = new Map<KeptBody, Promise<void>>()
  const written = (body: KeptBody) => writing.get(body)?.catch(() => {})

  async function writeFile(body: KeptBody, bytes: Uint8Array): Promise<void> {
    try {
      if ((await readFree(folder)) < bytes.byteLength + RESERVED_BYTES) throw new DiskFullError(folder)
      await writeUnlessPruned(body, bytes)
    } catch (error) {
      index.remove(body)
      throw asDiskFull(error, folder)
    }
  }

  /** The folder of its round may be pruned at any moment: then nobody needs the body any more. */
  async function writeUnlessPruned(body: KeptBody, bytes: Uint8Array): Promise<void> {
    for (let left = WRITES; index.holds(body); left--) {
      makeFolder(join(folder, String(body.round)))
      try {
        return await writeTo(pathOf(body), bytes)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 1) throw error
      }
    }
  }

  return {
    /** @throws {DiskFullError} */
    write(body: KeptBody, bytes: Uint8Array): Promise<void> {
      index.add(body)
      const work = writeFile(body, bytes).finally(() => writing.delete(body))
      writing.set(body, work)
      return work
    },
    /** Null if the file is gone. Waits for a write under way, as {@link remove} does. */
    async read(body: KeptBody): Promise<Buffer | null> {
      await written(body)
      return readFile(pathOf(body)).catch(error => {
        if (error.code === 'ENOENT') return null
        throw error
      })
    },
    async remove(body: KeptBody): Promise<void> {
      index.remove(body)
      await written(body)
      await rm(pathOf(body), { force: true })
    },
  }
}
