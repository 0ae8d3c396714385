import { NodeError } from '#base/errors.ts'

/** The RPC endpoint does not answer, or answers with server errors. */
export class ChainUnreachableError extends NodeError {
  override readonly code = 'CHAIN_UNREACHABLE'
}

/** The answer is larger than a working endpoint may return: the caller should request less. */
export class TooMuchAskedError extends ChainUnreachableError {}

/** The server refuses because it was asked too often: it may answer in some seconds. */
export class AskedTooOftenError extends ChainUnreachableError {}

/** Whether an error may be gone at the next try. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ChainUnreachableError && !(error instanceof TooMuchAskedError)

/** The RPC serves another chain than the deployment is on. */
export class WrongChainError extends NodeError {
  override readonly code = 'WRONG_CHAIN'
}

/** The account cannot pay for its transactions. */
export class NoFundsError extends NodeError {
  override readonly code = 'NO_FUNDS'
}

/** The deployment's record names an address that has no code, or a block that is not there: the chain was reset, or the record is another chain's. */
export class ContractMissingError extends NodeError {
  override readonly code = 'CONTRACT_MISSING'
}

/** The deployment's record names the address of another contract. */
export class WrongContractError extends NodeError {
  override readonly code = 'WRONG_CONTRACT'
}

/** The RPC no longer keeps the state of a block, or does not have it yet. */
export class StateUnavailableError extends NodeError {
  override readonly code = 'STATE_UNAVAILABLE'
}
