import { type Answer, type Call, WorkerError } from './workerCalls.ts'

interface OpenCall<Operation> {
  readonly operation: Operation
  readonly sentMs: number
  resolve(result: unknown): void
  reject(error: WorkerError): void
}

/** Open calls to one worker. */
export class PendingCalls<Operation extends string> {
  readonly #send: (call: Call<Operation>) => void
  readonly #nowMs: () => number
  readonly #open = new Map<number, OpenCall<Operation>>()
  #nextId = 0
  #ended: WorkerError | undefined

  /** @param send - sends a call to the worker; if it throws, the call rejects with that error. */
  constructor(send: (call: Call<Operation>) => void, nowMs = () => performance.now()) {
    this.#send = send
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#open.size
  }

  /** Reason why the worker has ended; undefined while it runs. */
  get ended(): WorkerError | undefined {
    return this.#ended
  }

  /** The oldest open call, and its age. */
  get oldest(): { readonly operation: Operation; readonly waitedMs: number } | undefined {
    const [first] = this.#open.values()
    return first && { operation: first.operation, waitedMs: this.#nowMs() - first.sentMs }
  }

  /** Calls the worker. Rejects with a WorkerError: from the worker, or because it has ended. */
  ask(operation: Operation, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#open.set(id, { operation, sentMs: this.#nowMs(), resolve, reject })
    try {
      this.#send({ id, operation, args })
    } catch (error) {
      this.#open.delete(id)
      reject(error)
    }
    return promise
  }

  /** Settles a call with the worker's answer. Answers to unknown calls are ignored. */
  settle(answer: Answer): void {
    const call = this.#open.get(answer.id)
    this.#open.delete(answer.id)
    if ('result' in answer) call?.resolve(answer.result)
    else call?.reject(new WorkerError(answer.error, answer.error))
  }

  /** Rejects open and later calls. Only the first error counts. */
  end(error: WorkerError): void {
    this.#ended ??= error
    for (const call of this.#open.values()) call.reject(this.#ended)
    this.#open.clear()
  }
}
