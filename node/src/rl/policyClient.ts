import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { WorkerError } from '#core/sentError.ts'
import type { PolicyHandlers, PolicyOperation, PolicyReply, PolicyWorkerOptions } from './policyProtocol.ts'

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

interface PendingCall {
  readonly operation: PolicyOperation
  readonly sentMs: number
  resolve(result: unknown): void
  reject(error: WorkerError): void
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
  const pending = new Map<number, PendingCall>()
  let nextId = 0
  let ended: WorkerError | undefined
  const telling = setInterval(() => {
    const [oldest] = pending.values()
    const seconds = oldest ? Math.round((performance.now() - oldest.sentMs) / 1000) : 0
    if (oldest && seconds * 1000 >= TOLD_EVERY_MS) slow(oldest.operation, seconds)
  }, TOLD_EVERY_MS).unref()

  function end(error: WorkerError): void {
    ended ??= error
    clearInterval(telling)
    for (const call of pending.values()) call.reject(ended)
    pending.clear()
  }

  const exited = new Promise<void>(resolve => {
    worker.once('exit', (code, signal) => {
      end(workerEnded(signal === null ? `with code ${code}` : `by ${signal}`))
      resolve()
    })
  })
  worker.once('error', error => end(workerEnded(`by an error: ${error.message}`, error)))
  worker.on('message', (message: unknown) => {
    const reply = message as PolicyReply
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if ('result' in reply) call?.resolve(reply.result)
    else call?.reject(new WorkerError(reply.error, reply.error))
  })

  const call = <K extends PolicyOperation>(operation: K) =>
    ((...args: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(ended)
          return
        }
        pending.set(nextId, { operation, sentMs: performance.now(), resolve, reject })
        worker.send({ id: nextId++, operation, args })
      })) as PolicyHandlers[K]

  return {
    pid: worker.pid ?? 0,
    load: call('load'),
    loadJudge: call('loadJudge'),
    generate: call('generate'),
    score: call('score'),
    choose: call('choose'),
    logprobs: call('logprobs'),
    policyStep: call('policyStep'),
    save: call('save'),
    weightsHash: call('weightsHash'),
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
