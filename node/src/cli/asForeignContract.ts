import type { ContractFunctionExecutionError, ContractFunctionRevertedError } from 'viem'
import { NodeError } from '#base/errors.ts'

/** What servers say of a revert without data. */
const NO_REASON = 'execution reverted'

/** A contract does not know a function of this release. */
export class ForeignContractError extends NodeError {
  override readonly code = 'FOREIGN_CONTRACT'
}

/** The same error, or a {@link ForeignContractError} in its place where a contract gave no answer and no reason: the record names another one. */
export function asForeignContract(error: unknown): unknown {
  // By their names: loading viem takes long, and most errors are not of it.
  if (!(error instanceof Error) || error.name !== 'ContractFunctionExecutionError') return error
  const { cause, contractAddress, functionName } = error as ContractFunctionExecutionError
  const { name, data, reason } = cause as ContractFunctionRevertedError
  const isBare = name === 'ContractFunctionRevertedError' && data === undefined && (reason ?? NO_REASON) === NO_REASON
  if (!isBare && name !== 'ContractFunctionZeroDataError') return error
  return new ForeignContractError(`The contract at ${contractAddress} does not answer ${functionName}.`, {
    hint: "The deployment's record is of another release, or has its addresses mixed up: take the record of this release, or install the release of the deployment.",
    cause: error,
  })
}
