import { NodeError } from '#core/errors.ts'

/** A file of a model (weights, configuration, tokenizer) that cannot be used as it is. */
export class ModelFileError extends NodeError {
  readonly code = 'MODEL_FILE'
  readonly file: string
  /** Where in the file: a tensor's name, a key, an offset. */
  readonly field: string

  constructor(file: string, field: string, problem: string, options: { hint?: string; cause?: unknown } = {}) {
    super(`${file}: ${field}: ${problem}.`, {
      hint: options.hint ?? 'Download the file again, or restore it from its source.',
      cause: options.cause,
    })
    this.file = file
    this.field = field
  }
}

/** A call that asks a model for what it cannot do: a token it does not know, more positions than it has. */
export class ModelInputError extends NodeError {
  readonly code = 'MODEL_INPUT'
}
