import { NodeError } from '#core/errors.ts'

/** The sandbox's process did not start. */
export class SandboxStartError extends NodeError {
  readonly code = 'SANDBOX_START'
}
