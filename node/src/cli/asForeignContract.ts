import type { ContractFunctionExecutionError, ContractFunctionRevertedError } from 'viem'
import { NodeError } from '#base/errors.ts'

/** Servers' message for a revert without data. */
const NO_REASON = 'execution reverted'

/** A contract does not know a function of this release. */
class ForeignContractError extends NodeError {
  override readonly code = 'FOREIGN_CONTRACT'
}

/** Translates the error of a contract without an answer or a reason into a {@link ForeignContractError}: the record names another contract. Returns any other error unchanged. */
export function asForeignContract(error: unknown): unknown {
  // Compares names: loading viem takes long, and most errors are not viem's.
  if (!(error instanceof Error) || error.name !== 'ContractFunctionExecutionError') return error
  const { cause, contractAddress, functionName } = error as ContractFunctionExecutionError
  const { name, data, reason } = cause as ContractFunctionRevertedError
  const isBare = name === 'ContractFunctionRevertedError' && data === undefined && (reason ?? NO_REASON) === NO_REASON
  if (!isBare && name !== 'ContractFunctionZeroDataError') return error
  return new ForeignContractError(`The contract at ${contractAddress} does not answer ${functionName}.`, {
    hint: "The deployment's record is of another release, or its addresses are swapped: use the record of this release, or install the release of the deployment.",
    cause: error,
  })
}
