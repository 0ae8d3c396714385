import { NodeError } from '#base/errors.ts'

/** A file of a model (weights, configuration, tokenizer) that cannot be used as it is. */
export class ModelFileError extends NodeError {
  readonly code = 'MODEL_FILE'
  readonly file: string
  /** Place in the file: a tensor's name, a key, an offset. */
  readonly field: string
  /** The fault, without a full stop. */
  readonly problem: string

  constructor(file: string, field: string, problem: string, options: { hint?: string; cause?: unknown } = {}) {
    super(`${file}: ${field}: ${problem}.`, {
      hint: options.hint ?? 'Download the file again, or restore it from its source.',
      cause: options.cause,
    })
    this.file = file
    this.field = field
    this.problem = problem
  }
}

/** Error for a file that is missing or that the system does not allow to read. */
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

/** A request that the model cannot serve: an unknown token, or more positions than it has. */
export class ModelInputError extends NodeError {
  readonly code = 'MODEL_INPUT'
}
