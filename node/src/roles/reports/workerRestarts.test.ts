import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WorkerError } from '#base/threads/workerCalls.ts'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createWorkerRestarts, readWorkerRestart } from './workerRestarts.ts'

test('a worker that was replaced is logged, counted by reason, and known to commands for an hour', () => {
  const clock = createManualClock(1_000)
  const path = join(mkdtempSync(join(tmpdir(), 'waggle-worker-')), 'journal.sqlite')
  const journal = createJournal(openDatabase(path), clock)
  const lines: string[] = []
  const logger = createLogger({ write: line => lines.push(line), format: 'json', level: 'info', clock })
  const restarts = createWorkerRestarts({ journal, clock, logger })
  const known = () => [restarts.current(), readWorkerRestart(path, clock.nowMs())]
  const error = (code: string, message: string) => new WorkerError({ message, code, hint: '', retryable: true })

  expect(known()).toEqual([null, null])
  expect([...restarts.counts()]).toContainEqual(['hung', 0])
  restarts.restarted(error('ENGINE_DEVICE', 'the GPU is lost'))
  clock.advance(60_000)
  restarts.restarted(error('POLICY_WORKER_HUNG', 'no sign of life for 612 s'))
  const last = { atMs: 61_000, restarts: 2, reason: 'no sign of life for 612 s' }
  expect(known()).toEqual([last, last])
  expect(Object.fromEntries(restarts.counts())).toEqual({ hung: 1, died: 0, device: 1 })
  expect(lines.map(line => JSON.parse(line).message)).toEqual(
    Array(2).fill('the model worker was replaced; it resumes from the last checkpoint'),
  )
  clock.advance(60 * 60_000)
  expect(known()).toEqual([null, null])
})
