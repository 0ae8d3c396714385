import type { Worker } from 'node:worker_threads'
import { PendingCalls } from './pendingCalls.ts'
import type { Answer, WorkerError } from './workerCalls.ts'

/** Calls to a thread. */
export interface AskedThread<Operation extends string> {
  hasEnded(): boolean
  /** Rejects with a WorkerError: from the thread, or because the thread has ended. */
  ask(operation: Operation, args: readonly unknown[]): Promise<unknown>
  /** @param error - rejects the open calls. */
  stop(error: WorkerError): Promise<void>
}

/**
 * A client of a thread that answers with `answerCall`. Only open calls keep the process alive.
 *
 * @param ended - the error of calls that are open when the thread dies.
 */
export function askThread<Operation extends string>(
  worker: Worker,
  ended: (cause?: unknown) => WorkerError,
): AskedThread<Operation> {
  const calls = new PendingCalls<Operation>(call => {
    worker.ref()
    worker.postMessage(call)
  })
  worker.unref()
  worker.on('error', error => calls.end(ended(error)))
  worker.on('exit', () => calls.end(ended()))
  worker.on('message', (answer: Answer) => {
    calls.settle(answer)
    if (calls.size === 0) worker.unref()
  })
  return {
    hasEnded: () => calls.ended !== undefined,
    ask: (operation, args) => calls.ask(operation, args),
    async stop(error) {
      calls.end(error)
      await worker.terminate()
    },
  }
}
