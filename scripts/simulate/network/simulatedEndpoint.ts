import { numberToHex } from 'viem'
import { ChainUnreachableError } from '../../../node/src/chain/chainErrors.ts'
import type { ConnectedChain } from '../../../node/src/chain/connectChain.ts'
import type { RpcCall } from '../../../node/src/chain/guard/answers.ts'
import { createChainGuard } from '../../../node/src/chain/guard/chainGuard.ts'
import type { Endpoint } from '../../../node/src/chain/guard/endpoint.ts'
import { createHeads } from '../../../node/src/chain/guard/heads.ts'
import type { Clock } from '../../../node/src/core/clock.ts'
import type { Logger } from '../../../node/src/core/logger.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import type { Log } from './swarmContracts.ts'

/** How an endpoint lies or fails. */
export type EndpointFault = 'silent' | 'far ahead' | 'another chain' | 'behind'

/** Chain id of no known network, for which the guard accepts reorganisations of three blocks. */
export const CHAIN_ID = 77_777

/** Blocks that a lagging endpoint is behind, and seconds that a lying one is ahead. */
const BEHIND_BLOCKS = 5
const AHEAD_SEC = 365 * 86_400

/** One server of the chain, as one peer reaches it. */
export class SimulatedEndpoint implements Endpoint {
  readonly origin: string
  fault: EndpointFault | null = null
  calls = 0
  private readonly chain: SimulatedChain
  private readonly clock: Clock
  private readonly latencyMs: () => number

  constructor(origin: string, chain: SimulatedChain, clock: Clock, latencyMs: () => number) {
    this.origin = origin
    this.chain = chain
    this.clock = clock
    this.latencyMs = latencyMs
  }

  /** Its own property: the guard copies it. */
  readonly ask = ({ method, params }: RpcCall): Promise<unknown> =>
    this.delayed(() => this.answer(method, params as unknown[]))

  /** The way there and back, of calls in one request. @throws {ChainUnreachableError} where nothing comes back. */
  async delayed<T>(work: () => T, calls = 1): Promise<T> {
    this.calls += calls
    await this.clock.sleep(this.latencyMs())
    if (this.fault === 'silent')
      throw new ChainUnreachableError(`The chain at ${this.origin} does not answer.`, {
        hint: 'Wait.',
        retryable: true,
      })
    return work()
  }

  private answer(method: string, params: unknown[]): unknown {
    const { chain } = this
    if (method === 'eth_chainId') return numberToHex(this.fault === 'another chain' ? 1 : CHAIN_ID)
    if (method === 'eth_getBlockByNumber') return this.block(params[0] as string)
    const head = this.seen()
    if (method === 'eth_call') return chain.contracts.read(params[0] as string, params[1] as unknown[], head)
    if (method === 'eth_getLogs') return chain.contracts.logs.filter(params[0] as (log: Log) => boolean)
    return 0n
  }

  private seen() {
    const { chain } = this
    const lag = this.fault === 'behind' ? BEHIND_BLOCKS : 0
    return chain.block(Math.max(0, chain.head.number - lag)) ?? chain.head
  }

  private block(tag: string) {
    const found = tag === 'latest' ? this.seen() : this.chain.block(Number(tag))
    const { number, timeSec, hash } = found ?? this.seen()
    const lie = this.fault === 'far ahead' && tag === 'latest' ? AHEAD_SEC : 0
    return { number: numberToHex(number), timestamp: numberToHex(timeSec + lie), hash }
  }
}

type Watching = { clock: Clock; logger: Logger; signal: AbortSignal }
type ViewCall = { functionName: string; args?: readonly unknown[] }
type EventsCall = { eventName?: string; args?: Record<string, unknown>; fromBlock: bigint; toBlock: bigint }

/** The chain behind endpoints as a peer connects to it: its guard and its heads are the real ones. */
export async function connect(endpoints: readonly Endpoint[], watching: Watching): Promise<ConnectedChain> {
  const guard = createChainGuard({ endpoints, identity: { chainId: CHAIN_ID, firstBlock: 0 }, ...watching })
  await guard.check()
  const ask = (method: string, params: unknown[]) => guard.request({ method, params })
  const view = ({ functionName, args = [] }: ViewCall) => ask('eth_call', [functionName, args])
  const rpc = {
    readContract: view,
    multicall: ({ contracts }: { contracts: readonly ViewCall[] }) => Promise.all(contracts.map(view)),
    getContractEvents: ({ eventName, args = {}, fromBlock, toBlock }: EventsCall) => {
      const isAsked = (log: Log) =>
        (eventName === undefined || log.eventName === eventName) &&
        log.blockNumber >= fromBlock &&
        log.blockNumber <= toBlock &&
        Object.entries(args).every(([name, value]) =>
          Array.isArray(value) ? value.includes(log.args[name]) : value === log.args[name],
        )
      return ask('eth_getLogs', [isAsked])
    },
    async getBlock({ blockNumber }: { blockNumber: bigint }) {
      const block = (await ask('eth_getBlockByNumber', [numberToHex(blockNumber), false])) as Record<string, string>
      return { number: BigInt(block.number ?? 0), timestamp: BigInt(block.timestamp ?? 0), hash: block.hash }
    },
    getBlockNumber: async () => BigInt((await guard.readHead()).number),
    getBalance: async () => 10n ** 18n,
  } as unknown as ConnectedChain['rpc']
  const { clock, signal } = watching
  const heads = createHeads({ readHead: guard.readHead, clock, signal, pollMs: 500 })
  return { rpc, rpcUrl: 'http://simulated', heads, rpcCounts: () => ({ calls: 0, errors: 0 }) }
}
