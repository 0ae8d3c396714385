import { NodeError } from '#base/errors.ts'

/** The chain requires an environment that this node does not have, or its models do not match the environment. */
export class EnvironmentMismatchError extends NodeError {
  override readonly code = 'ENVIRONMENT_MISMATCH'
  override readonly isFinal = true
}
