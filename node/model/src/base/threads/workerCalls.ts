import { NodeError } from '../errors.ts'

// Messages between a worker (a thread or a process) and its caller.

/** A call to a worker: operation and arguments. */
export interface Call<Operation extends string = string> {
  readonly id: number
  readonly operation: Operation
  readonly args: readonly unknown[]
}

/** The result of the call with the same number. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }

/** The operations of a worker as its callers see them. */
export type Across<Operations> = {
  [K in keyof Operations]: Operations[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<R> : never
}

/** An error as it is sent from a worker to its caller. */
export interface SentError {
  readonly name: string
  readonly message: string
  readonly code: string
  readonly hint: string
  readonly retryable: boolean
  readonly stack: string | undefined
}

/** An error from a worker, with its original code and hint, or the end of the worker itself. */
export class WorkerError extends NodeError {
  readonly code: string

  constructor(sent: Pick<SentError, 'message' | 'code' | 'hint' | 'retryable'>, cause?: unknown) {
    super(sent.message, { hint: sent.hint, retryable: sent.retryable, cause })
    this.code = sent.code
  }
}

/**
 * Runs a call in the worker and sends its result or its error.
 *
 * @param handlers - the worker's operations, or a promise of them; if it rejects, every call is answered with that error.
 * @param code - for errors that are defects of the worker.
 */
export async function answerCall(
  { id, operation, args }: Call,
  handlers: object | Promise<object>,
  code: string,
): Promise<Answer> {
  try {
    const handler = ((await handlers) as Record<string, (...args: readonly unknown[]) => unknown>)[operation]
    if (!handler) throw new TypeError(`the worker has no operation ${operation}`)
    return { id, result: await handler(...args) }
  } catch (error) {
    return { id, error: sentError(error, code) }
  }
}

/** @param code - for errors that are not a NodeError, which are defects of the worker. */
function sentError(error: unknown, code: string): SentError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof NodeError) {
    return { name, message, stack, code: error.code, hint: error.hint, retryable: error.retryable }
  }
  const hint = 'This is a defect of the program; please report it with the log.'
  return { name, message, stack, code, hint, retryable: false }
}
