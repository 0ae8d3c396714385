import type { Deployment } from '@waggle/deployments/record'
import type { PublicClient } from 'viem'
import { type Clock, systemClock } from '#core/clock.ts'
import type { AccountAddress } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { Patience } from '#core/patience.ts'
import { originsOf, splitUrls } from '#core/redactUrls.ts'
import { ChainUnreachableError } from './chainErrors.ts'
import { clientOf } from './clientOf.ts'
import { contractsOf } from './contracts.ts'
import { headOf } from './guard/answers.ts'
import { createChainGuard } from './guard/chainGuard.ts'
import { confirmChain } from './guard/confirmChain.ts'
import { createEndpoint, type Endpoint } from './guard/endpoint.ts'
import { createHeads, type Heads } from './guard/heads.ts'
import { patientEndpoint } from './guard/patientEndpoint.ts'
import { requestOnce } from './guard/requestOnce.ts'
import { awaitChain, awaitContracts, requireChain } from './guard/requireChain.ts'
import { requireContracts } from './guard/requireContracts.ts'
import { requireFunds } from './guard/requireFunds.ts'

/** Inputs of every read. */
export type ChainClient = {
  rpc: PublicClient
  /** For display: origins only. */
  rpcUrl: string
  /** Says how far a long read is; for commands. */
  progress?: ((line: string) => void) | undefined
}

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
  /** Limits the time that slow answers may take; without, each call has its own limit alone. */
  patience?: Patience | undefined
  /** Hash of the deployment's first block at the last start, null at the first. If given, or for a follower, that of the chain is confirmed. */
  knownHash?: string | null
  /** Time between polls for a new block, until the time between blocks is known. */
  pollMs?: number
}

/** Longest time for which endpoints may say falsely that the chain is another than before; a command does not wait as long. */
const OTHER_FOR_MS = { peer: 60_000, command: 2_000 }

/**
 * Connects, and checks that this is the deployment's chain before anything is sent.
 *
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | WrongContractError | NoFundsError}
 */
export async function connectChain(options: ConnectOptions): Promise<ConnectedChain & { firstHash: string | null }> {
  const { deployment, payer, follower, clock = follower?.clock ?? systemClock, pollMs = 500 } = options
  const counts: RpcCounts = { calls: 0, errors: 0 }
  const { patience } = options
  const endpoints = splitUrls(options.rpcUrl).map(url => {
    const endpoint = counted(createEndpoint(url, { clock, signal: follower?.signal }), counts)
    return patience === undefined ? endpoint : patientEndpoint(endpoint, patience, clock)
  })
  const rpcCounts = () => ({ ...counts })
  const rpcUrl = originsOf(options.rpcUrl)
  // Fails if nothing answers, since the URL may be wrong: `openChain` waits if it was right before.
  await requestOnce(endpoints, clock)({ method: 'eth_chainId', params: [] })
  if (follower === undefined) await requireChain(endpoints, deployment)
  const serving = follower ? await awaitChain(endpoints, deployment, follower) : endpoints
  const check = () => requireContracts(serving, deployment, clock)
  const ordered = await (follower ? awaitContracts(check, follower) : check())
  const once = requestOnce(ordered, clock)
  if (payer !== undefined) await requireFunds(ordered, { payer, deployment, clock })
  const { chainId, startBlock: firstBlock } = contractsOf(deployment)
  const others = endpoints.filter(endpoint => !ordered.includes(endpoint))
  const named = { endpoints: ordered, others, firstBlock, knownHash: options.knownHash ?? null }
  if (follower === undefined) {
    const wait = { clock, patienceMs: OTHER_FOR_MS.command, apartMs: OTHER_FOR_MS.command }
    const firstHash = options.knownHash === undefined ? null : await confirmChain(named, wait)
    const readHead = async () => {
      const head = headOf(await once({ method: 'eth_getBlockByNumber', params: ['latest', false] }))
      return { ...(head as NonNullable<typeof head>), atMs: clock.nowMs() }
    }
    return {
      rpc: clientOf(once),
      rpcUrl,
      progress: patience?.progress,
      heads: createHeads({ readHead, clock, signal: undefined, pollMs }),
      rpcCounts,
      firstHash,
    }
  }
  const firstHash = await confirmChain(named, { ...follower, patienceMs: OTHER_FOR_MS.peer })
  const guard = createChainGuard({ endpoints, identity: { chainId, firstBlock, firstHash }, ...follower })
  await guard.check()
  const heads = createHeads({ readHead: guard.readHead, clock, signal: follower.signal, pollMs })
  return { rpc: clientOf(guard.request), rpcUrl, heads, rpcCounts, firstHash }
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
