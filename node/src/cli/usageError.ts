import { NodeError } from '#base/errors.ts'

/** The command line or the configuration asks for something that does not exist. */
export class UsageError extends NodeError {
  override readonly code = 'USAGE'
}
