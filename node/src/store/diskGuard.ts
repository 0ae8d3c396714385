import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asFileError, faultOfFolder } from '#base/fileError.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import {
  asDiskFull,
  DiskFullError,
  freeBytesOf,
  isDatabaseFault,
  isDiskFull,
  isReadOnlyDisk,
  RESERVED_BYTES,
} from './diskSpace.ts'

export type DiskGuard = {
  /** Whether the error means that the disk is full, or that the data folder cannot be used; then the next wait blocks. */
  isFault(error: unknown): boolean
  /**
   * Resolves at once while the folder can be written, else once it can again; logs each change once for all callers.
   *
   * @throws the signal's reason.
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
  /** Why the folder cannot be used: it was removed, its disk is gone or read-only, or permissions changed. */
  faultOf?: (folder: string) => Error | null
}

/** Reason for which work waits. */
type Blocked = 'no space' | Error

const ADVICE = 'Mount or restore it, and let this user write there. If other files are there then, restart the peer.'

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000
const PROBE_BYTES = 64 * 1024

/** Pauses work that writes while the disk of a folder is full, or the folder cannot be used. */
export function createDiskGuard(modules: Modules): DiskGuard {
  const { folder, clock, logger, readFree = freeBytesOf, probe = writeProbe, faultOf = faultOfFolder } = modules
  let marked: Blocked | null = null
  let said: 'full' | 'unusable' | null = null
  let waits = 0
  let waiting: Promise<void> | null = null

  async function blockedBy(): Promise<Blocked | null> {
    // Work that fails again right after a wait waits longer: it writes more than the probe.
    const before = marked ?? faultOf(folder)
    marked = null
    // SQLite gives one code for a full disk and for one that has become read-only.
    if (before === 'no space') return (await failureOf(probe)) ?? before
    if (before !== null) return before
    return failureOf(async () => {
      if ((await readFree(folder)) < RESERVED_BYTES) throw new DiskFullError(folder)
      if (waits > 0) await probe(folder)
    })
  }

  async function failureOf(check: (folder: string) => Promise<void>): Promise<Blocked | null> {
    try {
      await check(folder)
      return null
    } catch (error) {
      // The rights that the system reports do not show a disk that fails, and not always one that is read-only.
      return isDiskFull(error) ? 'no space' : (asFileError(error) as Error)
    }
  }

  function say(blocked: Blocked): void {
    const now = blocked === 'no space' ? 'full' : 'unusable'
    if (said === now) return
    said = now
    if (blocked === 'no space') logger.error('the disk is full; work waits for space, free some', { folder })
    else logger.error('the data folder cannot be used; work waits', { folder, error: blocked, advice: ADVICE })
  }

  async function wait(signal: AbortSignal): Promise<void> {
    let blocked = await blockedBy()
    if (blocked === null) {
      waits = 0
      return
    }
    while (blocked !== null) {
      say(blocked)
      await clock.sleep(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** waits), signal)
      waits += 1
      blocked = await blockedBy()
    }
    const ended = said === 'unusable' ? 'the data folder can be used again' : 'there is space again'
    logger.info(`${ended}; work continues`, { folder })
    said = null
  }

  return {
    isFault(error) {
      const seen = isReadOnlyDisk(error) || isDatabaseFault(error) ? (asFileError(error) as Error) : null
      const fault = isDiskFull(error) ? 'no space' : (faultOf(folder) ?? seen)
      marked = fault ?? marked
      return fault !== null
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
