import { BaseError, BlockNotFoundError, HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { ChainUnreachableError } from './chainErrors.ts'
import { revertedWith } from './revertedWith.ts'

/**
 * Runs one exchange with the chain and names its failure.
 *
 * Reverts pass through as they are: they are the contract's answer. Any other RPC error is the server's fault, or its limits'.
 *
 * @throws {ChainUnreachableError} no connection, no answer in time, or an error of the server.
 */
export async function callChain<T>(rpcUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof BaseError) || revertedWith(cause) !== null) throw cause
    const failure = cause.walk(error => failures.some(kind => error instanceof kind))
    if (failure === null) throw cause
    const said = failure instanceof BaseError ? failure.details || failure.shortMessage : ''
    throw new ChainUnreachableError(
      `The chain at ${originOf(rpcUrl)} does not answer as it should${said === '' ? '' : ` (${said})`}.`,
      {
        hint: 'Check that it runs and that the RPC URL is right; this node goes on as soon as it answers.',
        retryable: true,
        cause,
      },
    )
  }
}

/** A block can be missing on a server that lags, or after a reorganisation. */
const failures = [HttpRequestError, TimeoutError, RpcRequestError, BlockNotFoundError]

/** Paths and queries of RPC URLs carry API keys: they are never shown. */
export function originOf(rpcUrl: string): string {
  return URL.canParse(rpcUrl) ? new URL(rpcUrl).origin : 'an RPC URL that is none'
}
