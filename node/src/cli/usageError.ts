import { NodeError } from '#base/errors.ts'

/** The command line or the configuration is invalid. */
export class UsageError extends NodeError {
  override readonly code = 'USAGE'
}
