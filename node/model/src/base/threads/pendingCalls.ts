import { WorkerError } from './sentError.ts'
import type { Answer, Call } from './workerCalls.ts'

interface OpenCall<Operation> {
  readonly operation: Operation
  readonly sentMs: number
  resolve(result: unknown): void
  reject(error: WorkerError): void
}

/** The calls to one worker that have no answer yet. */
export class PendingCalls<Operation extends string> {
  readonly #send: (call: Call<Operation>) => void
  readonly #nowMs: () => number
  readonly #open = new Map<number, OpenCall<Operation>>()
  #nextId = 0
  #ended: WorkerError | undefined

  /** @param send - brings a call to the worker; what it throws is what the call rejects with. */
  constructor(send: (call: Call<Operation>) => void, nowMs = () => performance.now()) {
    this.#send = send
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#open.size
  }

  /** Why there will be no answers any more; undefined while there may be. */
  get ended(): WorkerError | undefined {
    return this.#ended
  }

  /** The call that has waited for the longest, and how long. */
  get oldest(): { readonly operation: Operation; readonly waitedMs: number } | undefined {
    const [first] = this.#open.values()
    return first && { operation: first.operation, waitedMs: this.#nowMs() - first.sentMs }
  }

  /** Asks the worker. Rejects with a WorkerError: the worker's own, or that of its end. */
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

  /** Takes what the worker said. An answer to a call that is not open is nobody's. */
  settle(answer: Answer): void {
    const call = this.#open.get(answer.id)
    this.#open.delete(answer.id)
    if ('result' in answer) call?.resolve(answer.result)
    else call?.reject(new WorkerError(answer.error, answer.error))
  }

  /** Rejects what is open and whatever is asked later. The first end counts. */
  end(error: WorkerError): void {
    this.#ended ??= error
    for (const call of this.#open.values()) call.reject(this.#ended)
    this.#open.clear()
  }
}
