import { NodeError } from '#base/errors.ts'

/** The chain binds rounds to other rules than this node has, or its models are not those of the rules. */
export class EnvironmentMismatchError extends NodeError {
  override readonly code = 'ENVIRONMENT_MISMATCH'
  override readonly isFinal = true
}
