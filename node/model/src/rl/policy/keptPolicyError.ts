import { NodeError } from '#base/errors.ts'

/** The requested settings contradict the stored policy. */
export class KeptPolicyError extends NodeError {
  override readonly code = 'KEPT_POLICY'
}
