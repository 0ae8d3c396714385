import type { RotatingFileStream } from 'rotating-file-stream'
import { createEventLog, ended, type FigureFiles, openFigures } from '../metrics/eventLog.ts'
import { canaryScalars } from './judgeCounts.ts'
import type { CanaryPoint } from './measureCanary.ts'

/** In the gateway's folder: a line a measured canary. */
export const CANARY_FILE = 'canary.jsonl'

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
