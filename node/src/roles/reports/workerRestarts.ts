import { z } from 'zod'
import type { WorkerError } from '#base/threads/workerCalls.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Journal } from '#store/journal.ts'
import { readJournal } from './readJournal.ts'

/** The journal's state with the last restart, for commands that run while the peer does. */
const WORKER = 'worker'
/** A restart that is older is history. */
const TOLD_FOR_MS = 60 * 60_000

const schema = z.object({
  atMs: z.number(),
  /** Since the peer's start. */
  restarts: z.number(),
  /** Reason of the last restart. */
  reason: z.string(),
})

export type WorkerRestart = z.infer<typeof schema>

/** By the code of what ended a worker. */
const reasons: Readonly<Record<string, string>> = {
  POLICY_WORKER_HUNG: 'hung',
  POLICY_WORKER_ENDED: 'died',
  ENGINE_DEVICE: 'device',
}

export type WorkerRestarts = {
  /** A worker of the role's models was replaced by another. */
  restarted(error: WorkerError): void
  /** Since the start, by reason. */
  counts(): Iterable<readonly [string, number]>
  /** The last one, for an hour. */
  current(): WorkerRestart | null
}

type Modules = { journal: Pick<Journal, 'setState'>; clock: Clock; logger: Logger }

/** Reports replaced workers, in the log and to callers. */
export function createWorkerRestarts({ journal, clock, logger }: Modules): WorkerRestarts {
  const counts = new Map<string, number>(Object.values(reasons).map(reason => [reason, 0]))
  let last: WorkerRestart | null = null
  return {
    restarted(error) {
      logger.error('the model worker was replaced; it resumes from the last checkpoint', { error })
      const reason = reasons[error.code] ?? 'died'
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
      const restarts = [...counts.values()].reduce((sum, count) => sum + count, 0)
      last = { atMs: clock.nowMs(), restarts, reason: error.message }
      try {
        journal.setState(WORKER, last)
      } catch (noted) {
        // The disk guard reports a full disk.
        logger.debug('a restart could not be noted', { error: noted })
      }
    },
    counts: () => counts,
    current: () => recent(last, clock.nowMs()),
  }
}

/**
 * The last restart of a peer's worker, as the peer noted it within the last hour; null if there is none.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readWorkerRestart(path: string, nowMs: number): WorkerRestart | null {
  const kept = readJournal(path, db => db.prepare('SELECT value FROM state WHERE key = ?').get(WORKER))
  const parsed = schema.safeParse(kept && JSON.parse(String(kept.value)))
  return parsed.success ? recent(parsed.data, nowMs) : null
}

const recent = (restart: WorkerRestart | null, nowMs: number) =>
  restart !== null && nowMs - restart.atMs < TOLD_FOR_MS ? restart : null
