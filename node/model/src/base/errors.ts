/**
 * A failure with a message, a hint for the operator, and whether a retry may help.
 *
 * Expected outcomes are values; only a broken environment or broken code throws.
 */
export abstract class NodeError extends Error {
  abstract readonly code: string
  /** The operator's next step, as a sentence. */
  readonly hint: string
  readonly retryable: boolean
  /** Retrying cannot fix it, as with a wrong setting: the role stops instead of continuing with its next round. */
  readonly isFinal: boolean = false

  constructor(message: string, options: { hint: string; retryable?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.hint = options.hint
    this.retryable = options.retryable ?? false
  }
}

/**
 * One line for the command line: message, hint, code. Other errors have no hint; their name is printed as the code.
 */
export function formatError(error: unknown): string {
  if (error instanceof NodeError) return oneLine(`${error.message} ${error.hint} [${error.code}]`)
  if (error instanceof Error) return oneLine(`${error.message || 'no message'} [${error.name}]`)
  return oneLine(String(error))
}

function oneLine(text: string): string {
  // Control sequences of a file or a peer would reach the terminal.
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}|\p{Bidi_Control}/gu, '\ufffd')
    .trim()
}
