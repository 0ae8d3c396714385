import type { Deployment } from '@waggle/deployments/record'
import type { PublicClient } from 'viem'
import { type Clock, systemClock } from '#core/clock.ts'
import type { AccountAddress } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { originsOf, splitUrls } from '#core/redactUrls.ts'
import { callChain } from './callChain.ts'
import { ChainUnreachableError, NoFundsError } from './chainErrors.ts'
import { clientOf } from './clientOf.ts'
import { contractsOf } from './contracts.ts'
import { headOf } from './guard/answers.ts'
import { createChainGuard } from './guard/chainGuard.ts'
import { createEndpoint, type Endpoint } from './guard/endpoint.ts'
import { createHeads, type Heads } from './guard/heads.ts'
import { requestOnce } from './guard/requestOnce.ts'
import { awaitChain, awaitContracts, requireChain } from './guard/requireChain.ts'
import { requireContracts } from './guard/requireContracts.ts'

/** Inputs of every read. `rpcUrl` is for display: origins only. */
export type ChainClient = { rpc: PublicClient; rpcUrl: string }

/** Requests to the endpoints so far. An error is a missing answer, or one that does not fit the call. */
type RpcCounts = { calls: number; errors: number }

/** A chain with its newest blocks, for callers that wait for them. */
export type FollowedChain = ChainClient & { heads: Heads }

/** A chain that counts its requests. */
export type ConnectedChain = FollowedChain & { rpcCounts: () => RpcCounts }

/** A caller that follows a chain for as long as it runs. */
type Follower = { clock: Clock; logger: Logger; signal: AbortSignal }

type ConnectOptions = {
  /** One URL, or several separated by commas: one is used, and all are compared. */
  rpcUrl: string
  deployment: Deployment
  /** If given, it must be able to pay. */
  payer?: AccountAddress
  /** If given, later faults of the endpoints are waited out; otherwise they are thrown. */
  follower?: Follower
  clock?: Clock
  /** Time between polls for a new block, until the time between blocks is known. */
  pollMs?: number
}

/**
 * Connects, and checks that this is the deployment's chain before anything is sent.
 *
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | WrongContractError | NoFundsError}
 */
export async function connectChain(options: ConnectOptions): Promise<ConnectedChain> {
  const { deployment, payer, follower, clock = follower?.clock ?? systemClock, pollMs = 500 } = options
  const counts: RpcCounts = { calls: 0, errors: 0 }
  const endpoints = splitUrls(options.rpcUrl).map(url => counted(createEndpoint(url), counts))
  const rpcCounts = () => ({ ...counts })
  const rpcUrl = originsOf(options.rpcUrl)
  // Fails if nothing answers, since the URL may be wrong: `openChain` waits if it was right before.
  await requestOnce(endpoints, clock)({ method: 'eth_chainId', params: [] })
  if (follower === undefined) await requireChain(endpoints, deployment)
  const serving = follower ? await awaitChain(endpoints, deployment, follower) : endpoints
  const check = () => requireContracts(serving, deployment, clock)
  const once = requestOnce(await (follower ? awaitContracts(check, follower) : check()), clock)
  const first = clientOf(once)
  if (payer !== undefined) await requireFunds(first, rpcUrl, payer, deployment)
  if (follower === undefined) {
    const readHead = async () => {
      const head = headOf(await once({ method: 'eth_getBlockByNumber', params: ['latest', false] }))
      return { ...(head as NonNullable<typeof head>), atMs: clock.nowMs() }
    }
    return { rpc: first, rpcUrl, heads: createHeads({ readHead, clock, signal: undefined, pollMs }), rpcCounts }
  }
  const { chainId, startBlock } = contractsOf(deployment)
  const guard = createChainGuard({ endpoints, identity: { chainId, firstBlock: startBlock }, ...follower })
  await guard.check()
  const heads = createHeads({ readHead: guard.readHead, clock, signal: follower.signal, pollMs })
  return { rpc: clientOf(guard.request), rpcUrl, heads, rpcCounts }
}

function counted(endpoint: Endpoint, counts: RpcCounts): Endpoint {
  return {
    ...endpoint,
    async ask(call) {
      counts.calls += 1
      try {
        return await endpoint.ask(call)
      } catch (error) {
        if (error instanceof ChainUnreachableError) counts.errors += 1
        throw error
      }
    },
  }
}

async function requireFunds(
  rpc: PublicClient,
  rpcUrl: string,
  payer: AccountAddress,
  deployment: Deployment,
): Promise<void> {
  const balance = await callChain(rpcUrl, () => rpc.getBalance({ address: payer }))
  if (balance > 0n) return
  throw new NoFundsError(
    `The account ${payer} has no funds on '${deployment.network}' (chain ${deployment.chainId}).`,
    {
      hint: 'Send it some of the chain’s native coin (a faucet, on a test network) and start again.',
    },
  )
}
