import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PendingCalls } from '#core/threads/pendingCalls.ts'
import { WorkerError } from '#core/threads/sentError.ts'
import type { Answer } from '#core/threads/workerCalls.ts'
import {
  type PolicyHandlers,
  type PolicyOperation,
  type PolicyWorkerOptions,
  policyHandlers,
} from './policyProtocol.ts'

/**
 * The policy and the judge model in a process of their own: the caller's event loop is never blocked, and what crashes in native
 * code takes that process and not the caller's.
 */
export interface PolicyClient extends PolicyHandlers {
  /**
   * Stops the worker. Operations under way or waiting reject with code POLICY_CLOSED. In the worker, generation and
   * scoring end at their next step; a save or an update is carried to its end, so that no file is left half-written.
   */
  close(): Promise<void>
}

/** How often an operation that takes long is told of. */
const TOLD_EVERY_MS = 60_000

/** Told, once a minute, of the operation that has been under way for the longest. */
export type SlowOperation = (operation: PolicyOperation, seconds: number) => void

/**
 * Starts the worker. Nothing is loaded yet: call `load` and `loadJudge`.
 *
 * Every operation rejects with a {@link WorkerError}: the worker's own NodeError (same code and hint),
 * POLICY_CLOSED after `close`, or POLICY_WORKER_ENDED (retryable, with a new client) if the worker dies.
 */
export function openPolicyClient(
  options: PolicyWorkerOptions = {},
  slow: SlowOperation = () => {},
): PolicyClient & { readonly pid: number } {
  const script = fileURLToPath(new URL('./policyWorker.ts', import.meta.url))
  const worker = fork(script, [JSON.stringify(options)], { serialization: 'advanced', execArgv: [] })
  const calls = new PendingCalls<PolicyOperation>(call => void worker.send(call))
  const telling = setInterval(() => {
    const { oldest } = calls
    if (oldest && oldest.waitedMs >= TOLD_EVERY_MS) slow(oldest.operation, Math.round(oldest.waitedMs / 1000))
  }, TOLD_EVERY_MS).unref()

  function end(error: WorkerError): void {
    clearInterval(telling)
    calls.end(error)
  }

  const exited = new Promise<void>(resolve => {
    worker.once('exit', (code, signal) => {
      end(workerEnded(signal === null ? `with code ${code}` : `by ${signal}`))
      resolve()
    })
  })
  worker.once('error', error => end(workerEnded(`by an error: ${error.message}`, error)))
  worker.on('message', (answer: unknown) => calls.settle(answer as Answer))

  const call = <K extends PolicyOperation>(operation: K) =>
    ((...args: readonly unknown[]) => calls.ask(operation, args)) as PolicyHandlers[K]

  return {
    pid: worker.pid ?? 0,
    ...policyHandlers(call),
    async close() {
      end(closed())
      if (worker.connected) worker.send({ close: true })
      await exited
    },
  }
}

const closed = () =>
  new WorkerError({
    message: 'the policy worker was closed',
    code: 'POLICY_CLOSED',
    hint: 'Nothing to do: the node is stopping.',
    retryable: false,
  })

const workerEnded = (how: string, cause?: unknown) =>
  new WorkerError(
    {
      message: `the policy worker ended ${how}`,
      code: 'POLICY_WORKER_ENDED',
      hint: 'If it happens again, check that there is enough free memory, or try --device cpu.',
      retryable: true,
    },
    cause,
  )
