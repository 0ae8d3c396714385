import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { encodeFileVersion, encodeScalars, type Scalars } from './eventFile.ts'

/** Event files, as TensorBoard reads them. */
const EVENTS_FOLDER = 'tensorboard'
/** 100,000 steps, and as many of before. */
const FILE_SIZE = '48M'
const FILES = 1

/** Bytes of all event files of earlier starts that are kept. */
const KEPT_BYTES = 200_000_000

export type FigureFiles = { folder: string; clock: Clock; logger: Logger }

/** Curves of figures by round. */
export type EventLog = {
  note(round: number, scalars: Scalars): void
  /** Resolves once all is on the disk. */
  close(): Promise<void>
}

/**
 * Keeps figures in a peer's folder as event files of TensorBoard, from the first figure on. Before it, the oldest files of earlier starts are removed.
 *
 * @param keptBytes - of those files.
 */
export function createEventLog({ folder, clock, logger }: FigureFiles, keptBytes = KEPT_BYTES): EventLog {
  let events: RotatingFileStream | null = null
  return {
    note(round, scalars) {
      const nowSec = clock.nowMs() / 1000
      if (events === null) {
        const sec = Math.floor(nowSec)
        removeOldest(join(folder, EVENTS_FOLDER), keptBytes, logger)
        // A start has its own file: one that a crash cut off in the middle of a record cannot be continued.
        events = openFigures(`events.out.tfevents.${sec}`, join(folder, EVENTS_FOLDER), logger)
        events.write(encodeFileVersion(sec))
      }
      events.write(encodeScalars(nowSec, round, scalars))
    },
    close: () => ended(events),
  }
}

/** A file that is continued, and rotated where it becomes large. A full disk stops it and nothing else. */
export function openFigures(name: string, path: string, logger: Logger): RotatingFileStream {
  const opened = createStream(name, { path, size: FILE_SIZE, rotate: FILES, mode: 0o600 })
  opened.once('error', error => logger.warn(`${name} is not written until the next start`, { error }))
  return opened.on('error', () => {})
}

export async function ended(file: RotatingFileStream | null): Promise<void> {
  if (file !== null && !file.destroyed) await new Promise<void>(resolve => file.end(() => resolve()))
}

function removeOldest(folder: string, keptBytes: number, logger: Logger): void {
  try {
    const files = readdirSync(folder)
      .filter(name => name.startsWith('events.'))
      .map(name => ({ path: join(folder, name), stat: statSync(join(folder, name)) }))
      .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)
    let bytes = 0
    for (const { path, stat } of files) {
      bytes += stat.size
      if (bytes > keptBytes) rmSync(path)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') logger.warn('old event files stay', { error })
  }
}
