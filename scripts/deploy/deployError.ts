/** Error codes of a deployment; stable, for scripts. */
export type DeployErrorCode =
  | 'BAD_OPTION'
  | 'UNKNOWN_NETWORK'
  | 'NO_KEY'
  | 'WRONG_KEY'
  | 'CHAIN_UNREACHABLE'
  | 'WRONG_CHAIN'
  | 'NO_FUNDS'
  | 'DEPLOYMENT_RUNNING'
  | 'JOURNAL_UNUSABLE'
  | 'DEAD_ADDRESS'
  | 'CHAIN_REPLACED'
  | 'JOURNAL_CORRUPT'
  | 'RECORD_CORRUPT'
  | 'PARAMETERS_DIFFER'
  | 'BOOTSTRAP_OVER'
  | 'CONTRACTS_CHANGED'
  | 'TRANSACTION_UNTRACKED'
  | 'DEPLOYMENT_FAILED'

/** A deployment that cannot continue, with a hint for the operator. Shaped like the node's errors. */
export class DeployError extends Error {
  readonly code: DeployErrorCode
  readonly hint: string
  readonly retryable = false

  constructor(code: DeployErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DeployError'
    this.code = code
    this.hint = hint
  }
}
