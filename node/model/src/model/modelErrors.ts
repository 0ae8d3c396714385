import { NodeError } from '#base/errors.ts'

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

/** A file that is not there, or that the system does not let be read. */
export function unreadableFile(path: string, cause: unknown): ModelFileError {
  if (!['ENOENT', 'ENOTDIR'].includes(String((cause as NodeJS.ErrnoException).code)))
    return new ModelFileError(path, 'file', 'cannot be read', { hint: 'Check its permissions and its disk.', cause })
  return new ModelFileError(path, 'file', 'is missing', {
    hint: path.endsWith('.gguf')
      ? 'Correct the path of the GGUF file.'
      : 'Check the folder: a model has config.json and *.safetensors, an adapter adapter_config.json and adapter_model.safetensors.',
    cause,
  })
}

/** A call that asks a model for what it cannot do: a token it does not know, more positions than it has. */
export class ModelInputError extends NodeError {
  readonly code = 'MODEL_INPUT'
}
