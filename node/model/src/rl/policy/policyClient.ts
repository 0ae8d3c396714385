import { fork } from 'node:child_process'
import { siblingModule } from '#base/siblingModule.ts'
import { PendingCalls } from '#base/threads/pendingCalls.ts'
import { WorkerError } from '#base/threads/sentError.ts'
import { createPatience, type Patience, watchSilence } from '#base/threads/silenceWatch.ts'
import type { Answer } from '#base/threads/workerCalls.ts'
import {
  type PolicyHandlers,
  type PolicyOperation,
  type PolicyWorkerOptions,
  policyHandlers,
  type SignOfLife,
} from './policyProtocol.ts'

/**
 * The policy and the judge model in their own process: the caller's event loop is never blocked, and what crashes in native
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
 * POLICY_CLOSED after `close`; POLICY_WORKER_ENDED if the worker dies and POLICY_WORKER_HUNG if it is ended for its silence (both retryable, with
 * a new client).
 *
 * @param patience - how long the worker may give no sign of life while it has work, or while it is closed.
 */
export function openPolicyClient(
  options: PolicyWorkerOptions = {},
  slow: SlowOperation = () => {},
  patience: Patience = createPatience(),
): PolicyClient & { readonly pid: number } {
  const script = siblingModule(import.meta, 'policyWorker')
  const worker = fork(script, [JSON.stringify(options)], { serialization: 'advanced', execArgv: [] })
  const calls = new PendingCalls<PolicyOperation>(call => void worker.send(call))
  const telling = setInterval(() => {
    const { oldest } = calls
    if (oldest && oldest.waitedMs >= TOLD_EVERY_MS) slow(oldest.operation, Math.round(oldest.waitedMs / 1000))
  }, TOLD_EVERY_MS).unref()

  let isClosing = false
  const watch = watchSilence(
    patience,
    () => calls.size > 0 || isClosing,
    silentMs => {
      end(workerHung(silentMs))
      // A stopped process handles no other signal.
      worker.kill('SIGKILL')
    },
  )

  function end(error: WorkerError): void {
    clearInterval(telling)
    calls.end(error)
  }

  const exited = new Promise<void>(resolve => {
    worker.once('exit', (code, signal) => {
      watch.stop()
      end(workerEnded(signal === null ? `with code ${code}` : `by ${signal}`))
      resolve()
    })
    // Each call that is sent to a dead worker is its own error, and one that nobody listens to ends the peer.
    worker.on('error', error => {
      end(workerEnded(`by an error: ${error.message}`, error))
      // A process that never started does not exit.
      if (worker.pid !== undefined) return
      watch.stop()
      resolve()
    })
  })
  worker.on('message', (message: unknown) => {
    watch.heard()
    const said = message as Answer | SignOfLife
    if ('alive' in said) return
    calls.settle(said)
  })

  const call = <K extends PolicyOperation>(operation: K) =>
    ((...args: readonly unknown[]) => calls.ask(operation, args)) as PolicyHandlers[K]

  return {
    pid: worker.pid ?? 0,
    ...policyHandlers(call),
    async close() {
      end(closed())
      isClosing = true
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

const workerHung = (silentMs: number) =>
  new WorkerError({
    message: `the policy worker gave no sign of life for ${Math.round(silentMs / 1000)} s`,
    code: 'POLICY_WORKER_HUNG',
    hint: 'It is replaced automatically. If it happens again, look for a stopped process or a failing GPU, or try --device cpu.',
    retryable: true,
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
