import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NodeError } from '#base/errors.ts'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { contentIdYielding } from '#core/contentId.ts'
import type { ContentId } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { MAX_PAYLOAD_BYTES } from '#core/payloads/payloadSizes.ts'
import { freeBytesOf, isDiskFull } from './diskSpace.ts'
import { type OpenBundle, openIntact } from './openBundle.ts'
import { createPayloadFiles, type PayloadFiles } from './payloadFiles.ts'
import { createPayloadIndex, type PayloadIndex, readFolder } from './payloadIndex.ts'
import {
  createPayloadQuota,
  defaultQuotas,
  type KeptPayload,
  type PayloadOwner,
  type PayloadQuota,
  type QuotaLimits,
} from './payloadQuota.ts'

export class BundleTooLargeError extends NodeError {
  override readonly code = 'BUNDLE_TOO_LARGE'
}

/** Reasons why a payload of another peer is not stored. */
type KeepRefusal = 'too large' | 'over quota' | 'no disk space'

/** Payloads on the disk by content id, in one folder per round, so that a round is deleted by removing its folder. */
export type Bundles = {
  /**
   * Keeps a payload of our own for as long as the round is kept: once, with the latest round that it was put for.
   *
   * @throws {BundleTooLargeError | DiskFullError}
   */
  put(bytes: Uint8Array, round: number): Promise<ContentId>
  /** Keeps a payload of another peer within the quotas; the peer's own oldest ones are evicted. Null: it is kept. */
  keep(bytes: Uint8Array, round: number, owner: PayloadOwner): Promise<KeepRefusal | null>
  /** Moves a kept payload of an owner to a later round that needs it too, so that it is deleted with that one. @throws {DiskFullError} */
  renew(id: ContentId, round: number, owner: PayloadOwner): Promise<void>
  /** Whether {@link keep} would accept this many bytes now; called before fetching them. */
  wouldKeep(bytes: number, round: number, owner: PayloadOwner): boolean
  /** Null if they are missing or damaged. @throws if they cannot be read now, or the folder is away: nothing is forgotten for that. */
  get(id: ContentId): Promise<Uint8Array | null>
  /** As {@link get}, to be read part by part and closed. */
  open(id: ContentId): Promise<OpenBundle | null>
  has(id: ContentId): boolean
  /** Size in bytes; 0 if it is missing. */
  sizeOf(id: ContentId): number
  /** Removes payloads of an owner (null: this peer) that are no longer needed. */
  forget(id: ContentId, owner: PayloadOwner | null): Promise<void>
  pruneBefore(round: number): Promise<void>
  /**
   * Sets the round from which on payloads can still decide a score. Older payloads of others are removed if they would take space from these.
   *
   * @returns the number of needed payloads that were evicted or refused for lack of space since the last call.
   */
  needFrom(round: number): Promise<number>
}

type BundlesOptions = {
  logger: Logger
  maxBytes?: number
  quotas?: QuotaLimits
  /** Reads the free bytes of the disk. */
  readFree?: (folder: string) => Promise<number>
  writeFile?: (path: string, bytes: Uint8Array) => Promise<void>
}

/** Payloads above a lowered quota are removed at once. */
export async function openBundles(folder: string, options: BundlesOptions): Promise<Bundles> {
  const { logger, maxBytes = MAX_PAYLOAD_BYTES, quotas = defaultQuotas, readFree = freeBytesOf } = options
  makeFolder(folder)
  const quota = createPayloadQuota(quotas)
  const index = createPayloadIndex(await readFolder(folder), quota)
  const files = createPayloadFiles(folder, index, { readFree, writeTo: options.writeFile ?? writeFileAtomic })
  const excess = quota.excess()
  for (const payload of excess) await files.remove(payload)
  if (excess.length > 0) logger.warn('payloads over the quotas were removed', { payloads: excess.length })
  const store = { index, files, maxBytes }

  return {
    has: id => index.newest(id) !== undefined,
    sizeOf: id => index.newest(id)?.bytes ?? 0,
    ...createReads(store, logger),
    put: (bytes, round) => putOwn(bytes, round, store),
    ...createKeeping(store, quota),
    async renew(id, round, owner) {
      const known = index.of(id, owner)
      if (known !== undefined && known.round < round) await files.move(known, { ...known, round })
    },
    async forget(id, owner) {
      for (let payload = index.of(id, owner); payload !== undefined; payload = index.of(id, owner))
        await files.remove(payload)
    },
    async pruneBefore(round) {
      for (const payload of index.before(round)) index.remove(payload)
      for (const name of await readdir(folder))
        if (/^\d+$/.test(name) && Number(name) < round)
          await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

type Store = { index: PayloadIndex; files: PayloadFiles; maxBytes: number }

async function putOwn(bytes: Uint8Array, round: number, { index, files, maxBytes }: Store): Promise<ContentId> {
  if (bytes.byteLength > maxBytes)
    throw new BundleTooLargeError(`A payload of ${bytes.byteLength} bytes where at most ${maxBytes} are kept.`, {
      hint: 'Its author runs different software, or asked for too many tokens.',
    })
  const contentId = await contentIdYielding(bytes)
  const payload: KeptPayload = { contentId, round, bytes: bytes.byteLength, owner: null }
  // A policy that does not change is put in every round: its file moves with them, as copies would fill the disk.
  let known = index.of(contentId, null)
  for (; known !== undefined && known.round < round; known = index.of(contentId, null))
    await files.move(known, { ...payload })
  if (known === undefined) await files.write(payload, bytes)
  return contentId
}

/** Payloads of other peers, within the quotas. */
function createKeeping(
  { index, files, maxBytes }: Store,
  quota: PayloadQuota,
): Pick<Bundles, 'keep' | 'wouldKeep' | 'needFrom'> {
  let neededFrom = Number.POSITIVE_INFINITY
  let lost = 0

  return {
    async keep(bytes, round, owner) {
      if (bytes.byteLength > maxBytes) return 'too large'
      const contentId = await contentIdYielding(bytes)
      const hasSpace = await files.hasSpaceFor(bytes.byteLength)
      const known = index.of(contentId, owner)
      if (known !== undefined && known.round >= round) return null
      const gone = quota.roomFor(owner, round, bytes.byteLength)
      if (gone === null) {
        if (round >= neededFrom) lost += 1
        return 'over quota'
      }
      // Nothing is removed for a payload that the disk refuses.
      if (!hasSpace) return 'no disk space'
      // A payload of the same owner and round replaces an amended one.
      const isAmended = (one: KeptPayload) => one.round === round && one.owner?.kind === owner.kind
      lost += gone.filter(one => one.round >= neededFrom && !isAmended(one)).length
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
    async needFrom(round) {
      neededFrom = round
      for (const payload of quota.history(round)) await files.remove(payload)
      const since = lost
      lost = 0
      return since
    },
  }
}

/** Reads what matches its id, and forgets what does not, and what of others the disk cannot read twice in a row. */
function createReads({ index, files }: Store, logger: Logger): Pick<Bundles, 'get' | 'open'> {
  /** Payloads of others whose last read met a fault of the disk. */
  const faulty = new WeakSet<KeptPayload>()

  /** Whether a payload is lost by a failure of its read. One that is forgotten is fetched again. */
  function isLost(payload: KeptPayload, error: unknown): boolean {
    if (payload.owner === null || (error as NodeJS.ErrnoException).code !== 'EIO') return false
    if (faulty.has(payload)) return true
    faulty.add(payload)
    return false
  }

  /** @param read - returns null if the file is gone or does not match its id. */
  async function find<T>(id: ContentId, read: (payload: KeptPayload) => Promise<T | null>): Promise<T | null> {
    const failures = new Map<KeptPayload, unknown>()
    // Another peer may own the same bytes.
    const next = () => index.all(id).find(one => !failures.has(one))
    for (let payload = next(); payload !== undefined; payload = next()) {
      try {
        const found = await read(payload)
        faulty.delete(payload)
        if (found !== null) return found
      } catch (error) {
        if (!isLost(payload, error)) {
          failures.set(payload, error)
          continue
        }
      }
      // Its write failed, or it was evicted.
      if (!index.holds(payload)) continue
      // A disk fault, or a modified file. It can be fetched again, and must not be served.
      logger.warn('a bundle is damaged or gone and was forgotten', { contentId: id, round: payload.round })
      await files.remove(payload)
    }
    if (failures.size === 0) return null
    throw [...failures.values()][0]
  }

  return {
    get: id =>
      find(id, async payload => {
        const bytes = await files.read(payload)
        if (bytes === null || (await contentIdYielding(bytes)) !== id) return null
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      }),
    open: id =>
      find(id, async payload => {
        const file = await files.open(payload)
        return file && openIntact(file, payload.bytes, id)
      }),
  }
}
