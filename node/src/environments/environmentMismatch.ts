import { NodeError } from '#base/errors.ts'

/** The chain binds rounds to rules that this node does not have, or its models do not match the rules. */
export class EnvironmentMismatchError extends NodeError {
  override readonly code = 'ENVIRONMENT_MISMATCH'
  override readonly isFinal = true
}
