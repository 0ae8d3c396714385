import type { Deployment } from '@waggle/deployments/record'
import { createPublicClient, http, type PublicClient } from 'viem'
import type { Hex } from '#core/hex.ts'
import { callChain, originOf } from './callChain.ts'
import { ContractMissingError, NoFundsError, WrongChainError } from './chainErrors.ts'

/** What every read needs. */
export type ChainClient = { rpc: PublicClient; rpcUrl: string }

export type ConnectOptions = {
  rpcUrl: string
  deployment: Deployment
  /** If given, it must be able to pay. */
  payer?: Hex
  /** For one request; a public endpoint may take seconds. */
  timeoutMs?: number
}

/**
 * Connects, and checks before anything is sent that this is the chain that the deployment is on.
 *
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | NoFundsError}
 */
export async function connectChain({
  rpcUrl,
  deployment,
  payer,
  timeoutMs = 10_000,
}: ConnectOptions): Promise<ChainClient> {
  // viem keeps block numbers for 4 s by default; our rounds may be shorter than six times that.
  const rpc = createPublicClient({
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 2, retryDelay: 100, maxResponseBodySize: false }),
    cacheTime: 0,
  })
  const chainId = await callChain(rpcUrl, () => rpc.getChainId())
  if (chainId !== deployment.chainId)
    throw new WrongChainError(
      `The chain at ${originOf(rpcUrl)} has id ${chainId}; the deployment '${deployment.network}' is on ${deployment.chainId}.`,
      { hint: `Pass the RPC URL of '${deployment.network}', or the network that this chain is.` },
    )
  for (const [name, { address }] of Object.entries(deployment.contracts)) {
    const code = await callChain(rpcUrl, () => rpc.getCode({ address }))
    if (code === undefined || code === '0x')
      throw new ContractMissingError(`There is no ${name} at ${address} on the chain at ${originOf(rpcUrl)}.`, {
        hint: 'The chain was reset or the record is stale: deploy again (npx hardhat deploy), or start with --fresh.',
      })
  }
  if (payer !== undefined) await requireFunds({ rpc, rpcUrl }, payer, deployment)
  return { rpc, rpcUrl }
}

async function requireFunds({ rpc, rpcUrl }: ChainClient, payer: Hex, deployment: Deployment): Promise<void> {
  const balance = await callChain(rpcUrl, () => rpc.getBalance({ address: payer }))
  if (balance > 0n) return
  throw new NoFundsError(
    `The account ${payer} has no funds on '${deployment.network}' (chain ${deployment.chainId}).`,
    {
      hint: 'Send it some of the chain’s native coin (a faucet, on a test network) and start again.',
    },
  )
}
