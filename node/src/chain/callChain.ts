import {
  AbiDecodingDataSizeTooSmallError,
  AbiDecodingZeroDataError,
  BaseError,
  BlockNotFoundError,
  ContractFunctionExecutionError,
  ContractFunctionZeroDataError,
  Eip1559FeesNotSupportedError,
  RpcRequestError,
} from 'viem'
import { originsOf } from '#core/redactUrls.ts'
import { ChainUnreachableError } from './chainErrors.ts'
import { revertedWith } from './revertedWith.ts'

/**
 * Runs one exchange with the chain and classifies its failure. Reverts pass through unchanged: they are the contract's answer. Any other
 * failure is caused by the server or its limits.
 *
 * @throws {ChainUnreachableError} no connection, no answer in time, an error of the server, or an invalid answer.
 */
export async function callChain<T>(rpcUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof BaseError) || revertedWith(cause) !== null) throw cause
    // The guard has classified it; viem has wrapped it in an error of the request.
    const named = cause.walk(error => error instanceof ChainUnreachableError)
    if (named !== null) throw named
    const failure = cause.walk(error => failures.some(kind => error instanceof kind)) ?? undecoded(cause)
    if (failure === null) throw cause
    const said = failure instanceof BaseError ? failure.details || failure.shortMessage : ''
    throw new ChainUnreachableError(
      `The chain at ${originsOf(rpcUrl)} gave no valid answer${said === '' ? '' : ` (${said})`}.`,
      {
        hint: 'Check that it runs and that the RPC URL (--rpc) is right; a running peer resumes as soon as it answers.',
        retryable: true,
        cause,
      },
    )
  }
}

/** A block can be missing on a server that lags, or after a reorganisation; an undecodable answer comes from another chain. */
const failures = [
  RpcRequestError,
  BlockNotFoundError,
  ContractFunctionZeroDataError,
  AbiDecodingZeroDataError,
  AbiDecodingDataSizeTooSmallError,
  // A block without a base fee: the chain has none, or the server omitted it.
  Eip1559FeesNotSupportedError,
]

/** An answer that cannot be decoded: viem has many kinds of errors for it, and wraps all of them, but none about arguments. */
function undecoded(cause: BaseError): Error | null {
  return cause instanceof ContractFunctionExecutionError ? cause : null
}
