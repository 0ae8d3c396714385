/**
 * A failure that an operator can act on: what went wrong, what to do next, and whether trying again may help.
 *
 * Expected outcomes are values; only a broken environment or broken code throws one of these.
 */
export abstract class NodeError extends Error {
  abstract readonly code: string
  /** What the operator does next, as a sentence. */
  readonly hint: string
  readonly retryable: boolean
  /** Waiting cannot fix it, as with a wrong setting: a role ends instead of continuing with its next round. */
  readonly isFinal: boolean = false

  constructor(message: string, options: { hint: string; retryable?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.hint = options.hint
    this.retryable = options.retryable ?? false
  }
}

/**
 * One line for the command line: message, what to do, code.
 *
 * A foreign error has no hint, so its name stands where the code would.
 */
export function formatError(error: unknown): string {
  if (error instanceof NodeError) return oneLine(`${error.message} ${error.hint} [${error.code}]`)
  if (error instanceof Error) return oneLine(`${error.message || 'no message'} [${error.name}]`)
  return oneLine(String(error))
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
