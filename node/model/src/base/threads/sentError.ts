import { NodeError } from '../errors.ts'

/** An error as it is sent from a worker to its caller. */
export interface SentError {
  readonly name: string
  readonly message: string
  readonly code: string
  readonly hint: string
  readonly retryable: boolean
  readonly stack: string | undefined
}

/** @param code - for errors that are not a NodeError, which are defects of the worker. */
export function sentError(error: unknown, code: string): SentError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof NodeError) {
    return { name, message, stack, code: error.code, hint: error.hint, retryable: error.retryable }
  }
  const hint = 'This is a defect of the program; please report it with the log.'
  return { name, message, stack, code, hint, retryable: false }
}

/** An error from a worker, with its original code and hint, or the end of the worker itself. */
export class WorkerError extends NodeError {
  readonly code: string

  constructor(sent: Pick<SentError, 'message' | 'code' | 'hint' | 'retryable'>, cause?: unknown) {
    super(sent.message, { hint: sent.hint, retryable: sent.retryable, cause })
    this.code = sent.code
  }
}
