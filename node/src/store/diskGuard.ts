import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { asDiskFull, freeBytesOf, isDiskFull, RESERVED_BYTES } from './diskSpace.ts'

export type DiskGuard = {
  /** Whether the error means that the disk is full; then the next wait blocks. */
  isFull(error: unknown): boolean
  /**
   * Resolves at once while there is space, else once there is space again; logs each change once for all callers.
   *
   * @throws the signal's reason, or any other error of the disk.
   */
  untilWritable(signal: AbortSignal): Promise<void>
}

type Modules = {
  folder: string
  clock: Clock
  logger: Logger
  /** Reads the free bytes of the disk. */
  readFree?: (folder: string) => Promise<number>
  /** Writes as much as a small step does, to detect a full quota on a disk with free space. */
  probe?: (folder: string) => Promise<void>
}

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000
const PROBE_BYTES = 64 * 1024

/** Pauses work that writes while the disk of a folder is full. */
export function createDiskGuard(modules: Modules): DiskGuard {
  const { folder, clock, logger, readFree = freeBytesOf, probe = writeProbe } = modules
  let isMarked = false
  let isSaid = false
  let waits = 0
  let waiting: Promise<void> | null = null

  async function hasSpace(): Promise<boolean> {
    if ((await readFree(folder)) < RESERVED_BYTES) return false
    if (waits === 0) return true
    try {
      await probe(folder)
      return true
    } catch (error) {
      if (isDiskFull(error)) return false
      throw error
    }
  }

  async function wait(signal: AbortSignal): Promise<void> {
    // Work that fails again right after a wait waits longer: it writes more than the probe.
    if (!isMarked && (await hasSpace())) {
      waits = 0
      return
    }
    if (!isSaid) logger.error('the disk is full; work waits for space, free some', { folder })
    isSaid = true
    do {
      isMarked = false
      await clock.sleep(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** waits), signal)
      waits += 1
    } while (isMarked || !(await hasSpace()))
    logger.info('there is space again; work continues', { folder })
    isSaid = false
  }

  return {
    isFull(error) {
      if (!isDiskFull(error)) return false
      isMarked = true
      return true
    },
    untilWritable(signal) {
      waiting ??= wait(signal).finally(() => {
        waiting = null
      })
      return waiting
    },
  }
}

async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, 'disk.probe')
  try {
    const file = await open(path, 'w')
    try {
      await file.writeFile(new Uint8Array(PROBE_BYTES))
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw asDiskFull(error, folder)
  } finally {
    await rm(path, { force: true })
  }
}
