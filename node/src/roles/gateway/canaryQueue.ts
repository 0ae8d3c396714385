import type { RotatingFileStream } from 'rotating-file-stream'
import type { Logger } from '#core/logger.ts'
import type { CanaryBundle } from '#core/payloads/payloads.ts'
import type { Journal } from '#store/journal.ts'
import { createEventLog, ended, type FigureFiles, openFigures } from '../metrics/eventLog.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'
import { canaryScalars } from './judgeCounts.ts'

export type CanaryQueue = {
  /** Measures a peer's canary of a round, once. */
  add(peerId: string, canary: CanaryBundle): void
  /** Resolves when nothing is being measured. */
  idle(): Promise<void>
}

type Modules = {
  measure: (peerId: string, canary: CanaryBundle) => Promise<CanaryPoint>
  journal: Pick<Journal, 'get' | 'set'>
  logger: Logger
  /** Waiting measurements are left to the next start when it aborts. */
  signal: AbortSignal
}

/**
 * Measures canaries one at a time: each takes a core. At most one per peer and round is measured, however many it announces, so that no
 * peer delays the others.
 */
export function createCanaryQueue({ measure, journal, logger, signal }: Modules): CanaryQueue {
  const waiting = new Set<string>()
  let last: Promise<void> = Promise.resolve()

  async function run(peerId: string, canary: CanaryBundle): Promise<void> {
    const { round } = canary
    if (signal.aborted) return
    try {
      const point = await measure(peerId, canary)
      journal.set(round, keyOf(peerId), point)
      logger.info('canary', { ...point })
    } catch (error) {
      logger.warn('a canary could not be measured', { round, peerId, error })
    }
  }
  return {
    add(peerId, canary) {
      const { round } = canary
      const id = `${round} ${peerId}`
      if (waiting.has(id) || journal.get(round, keyOf(peerId)) !== undefined) return
      waiting.add(id)
      last = last.then(() => run(peerId, canary)).finally(() => waiting.delete(id))
    },
    idle: () => last,
  }
}

const keyOf = (peerId: string): string => `measured ${peerId}`

/** In the gateway's folder: one line per measured canary. */
const CANARY_FILE = 'canary.jsonl'

/** Keeps each measured canary in a gateway's folder, as a JSON line and as TensorBoard's events. */
export type CanaryLog = {
  note(point: CanaryPoint): void
  /** Resolves once all lines are on the disk. */
  close(): Promise<void>
}

export function createCanaryLog(files: FigureFiles): CanaryLog {
  let lines: RotatingFileStream | null = null
  const events = createEventLog(files)
  return {
    note(point) {
      lines ??= openFigures(CANARY_FILE, files.folder, files.logger)
      lines.write(`${JSON.stringify({ at: new Date(files.clock.nowMs()).toISOString(), ...point })}\n`)
      events.note(point.round, canaryScalars(point))
    },
    async close() {
      await Promise.all([ended(lines), events.close()])
    },
  }
}
