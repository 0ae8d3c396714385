import { existsSync, statSync } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { asDiskFull, DiskFullError, RESERVED_BYTES } from './diskSpace.ts'
import { fileNameOf, type PayloadIndex } from './payloadIndex.ts'
import type { KeptPayload } from './payloadQuota.ts'

/** Times that a write begins again whose folder was removed meanwhile. */
const WRITES = 3

export type PayloadFiles = ReturnType<typeof createPayloadFiles>

type Disk = {
  readFree: (folder: string) => Promise<number>
  writeTo: (path: string, bytes: Uint8Array) => Promise<void>
}

/** The files of payloads. A payload enters the index before it is written, so running writes count towards the quotas. */
export function createPayloadFiles(folder: string, index: PayloadIndex, { readFree, writeTo }: Disk) {
  const pathOf = (payload: KeptPayload) => pathIn(folder, payload)
  const writing = new Map<KeptPayload, Promise<void>>()
  const hasSpaceFor = async (bytes: number) => (await readFree(folder)) >= bytes + RESERVED_BYTES
  const written = (payload: KeptPayload) => writing.get(payload)?.catch(() => {})

  /** Readers of the payload wait for this work on its file. */
  function awaited(payload: KeptPayload, work: Promise<void>): Promise<void> {
    const ended = work
      .catch(error => Promise.reject(asDiskFull(error, folder)))
      .finally(() => void writing.delete(payload))
    writing.set(payload, ended)
    return ended
  }

  async function writeFile(payload: KeptPayload, bytes: Uint8Array): Promise<void> {
    try {
      if (!(await hasSpaceFor(bytes.byteLength))) throw new DiskFullError(folder)
      await writeUnlessPruned(payload, bytes)
    } catch (error) {
      index.remove(payload)
      throw error
    }
  }

  /** The folder of its round may be pruned at any moment: then nobody needs the payload any more. */
  async function writeUnlessPruned(payload: KeptPayload, bytes: Uint8Array): Promise<void> {
    for (let left = WRITES; index.holds(payload); left--) {
      makeRoundFolder(folder, payload.round)
      try {
        return await writeTo(pathOf(payload), bytes)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 1) throw error
      }
    }
  }

  return {
    hasSpaceFor,
    /** @throws {DiskFullError} */
    write(payload: KeptPayload, bytes: Uint8Array): Promise<void> {
      index.add(payload)
      return awaited(payload, writeFile(payload, bytes))
    },
    /** A reader waits for the new place. @throws {DiskFullError} */
    async move(from: KeptPayload, to: KeptPayload): Promise<void> {
      await written(from)
      if (!index.holds(from)) return
      await awaited(to, moveFile(from, to, { folder, index }))
    },
    /** Null if the file is gone. Waits for a running write, as {@link remove} does. @throws if it cannot be read, or the whole folder is away. */
    async read(payload: KeptPayload): Promise<Buffer | null> {
      await written(payload)
      return readFile(pathOf(payload)).catch(nullIfGoneFrom(folder))
    },
    /** As {@link read}. */
    async open(payload: KeptPayload): Promise<FileHandle | null> {
      await written(payload)
      return open(pathOf(payload), 'r').catch(nullIfGoneFrom(folder))
    },
    async remove(payload: KeptPayload): Promise<void> {
      index.remove(payload)
      await written(payload)
      await rm(pathOf(payload), { force: true })
    },
  }
}

/** A payload that cannot be moved stays where it is; one whose file is gone leaves the index. */
async function moveFile(
  from: KeptPayload,
  to: KeptPayload,
  { folder, index }: { folder: string; index: PayloadIndex },
): Promise<void> {
  makeRoundFolder(folder, to.round)
  index.remove(from)
  index.add(to)
  try {
    await rename(pathIn(folder, from), pathIn(folder, to))
  } catch (error) {
    // It may have been pruned meanwhile.
    const isWanted = index.holds(to)
    index.remove(to)
    if (!isWanted || isGoneFrom(folder, error)) return
    index.add(from)
    throw error
  }
}

const pathIn = (folder: string, payload: KeptPayload) => join(folder, String(payload.round), fileNameOf(payload))

/** Throws if the folder of all payloads is away: it would be made again where its disk is not mounted. */
function makeRoundFolder(folder: string, round: number): void {
  statSync(folder)
  makeFolder(join(folder, String(round)))
}

/** Whether a missing file is gone for good. All files are missing while the data folder's disk is not mounted, and come back with it. */
const isGoneFrom = (folder: string, error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync(folder)

const nullIfGoneFrom = (folder: string) => (error: unknown) => {
  if (isGoneFrom(folder, error)) return null
  throw error
}
