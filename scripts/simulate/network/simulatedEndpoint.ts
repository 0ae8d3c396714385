import { ExecutionRevertedError, numberToHex, RpcRequestError } from 'viem'
import { ChainUnreachableError } from '../../../node/src/chain/chainErrors.ts'
import type { ConnectedChain } from '../../../node/src/chain/connectChain.ts'
import { oddResult, type RpcCall } from '../../../node/src/chain/guard/answers.ts'
import { createChainGuard } from '../../../node/src/chain/guard/chainGuard.ts'
import type { Endpoint } from '../../../node/src/chain/guard/endpoint.ts'
import { createHeads } from '../../../node/src/chain/guard/heads.ts'
import type { Clock } from '../../../node/src/core/clock.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import type { Logger } from '../../../node/src/core/logger.ts'
import { BALANCE_WEI, type SimulatedChain } from './simulatedChain.ts'
import type { Log } from './swarmContracts.ts'

/** How an endpoint lies or fails. `reverted`: it says so of every read and estimate. `huge`: its numbers fit no integer. */
export const endpointFaults = ['silent', 'far ahead', 'another chain', 'behind', 'reverted', 'huge'] as const
export type EndpointFault = (typeof endpointFaults)[number]

/** Chain id of no known network, for which the guard accepts reorganisations of three blocks. */
export const CHAIN_ID = 77_777

/** Blocks that a lagging endpoint is behind, and seconds that a lying one is ahead. */
const BEHIND_BLOCKS = 5
const AHEAD_SEC = 365 * 86_400
/** Numbers of an endpoint that invents them: a word's largest, and one of more than 256 bits. */
const [HUGE, HUGER] = [2n ** 256n - 1n, 2n ** 256n]

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
  readonly ask = (call: RpcCall): Promise<unknown> =>
    this.delayed(() => {
      const { method, params } = call
      const answer = this.answer(method, params as unknown[])
      return method === 'eth_call' || method === 'eth_getLogs' ? answer : this.checked(call, answer)
    })

  /** A quantity in an answer, as the endpoint gives it. @throws {ChainUnreachableError} if the node does not take it. */
  quantity(method: string, value: number | bigint): bigint {
    const given = numberToHex(this.fault === 'huge' ? (method === 'eth_getTransactionCount' ? HUGER : HUGE) : value)
    return BigInt(this.checked({ method, params: [] }, given) as Hex)
  }

  /** As a node checks an answer. */
  private checked<T>(call: RpcCall, answer: T): T {
    const odd = oddResult(call, answer)
    if (odd !== null) throw this.unreachable(`gave ${odd}`)
    return answer
  }

  private unreachable(what: string): ChainUnreachableError {
    return new ChainUnreachableError(`The chain at ${this.origin} ${what}.`, { hint: 'Wait.', retryable: true })
  }

  /** The way there and back, of calls in one request. @throws {ChainUnreachableError} where nothing comes back. */
  async delayed<T>(work: () => T, calls = 1): Promise<T> {
    this.calls += calls
    await this.clock.sleep(this.latencyMs())
    if (this.fault === 'silent') throw this.unreachable('does not answer')
    return work()
  }

  private answer(method: string, params: unknown[]): unknown {
    const { chain } = this
    if (method === 'eth_chainId') return numberToHex(this.fault === 'another chain' ? 1 : CHAIN_ID)
    if (method === 'eth_getBlockByNumber') return this.block(params[0] as string)
    const head = this.seen()
    if (method === 'eth_call') {
      if (this.fault === 'reverted') throw falseRevert(this.origin)
      const answer = chain.contracts.read(params[0] as string, params[1] as unknown[], head)
      return this.fault === 'huge' ? this.huge(answer) : answer
    }
    if (method === 'eth_getLogs') return chain.contracts.logs.filter(params[0] as (log: Log) => boolean)
    return 0n
  }

  private seen() {
    const { chain } = this
    const lag = this.fault === 'behind' ? BEHIND_BLOCKS : 0
    return chain.block(Math.max(0, chain.head.number - lag)) ?? chain.head
  }

  /** An answer with the largest number instead of each, as viem decodes it. */
  private huge(answer: unknown): unknown {
    if (typeof answer === 'number') throw this.unreachable('gave a number that is not safe')
    if (typeof answer === 'bigint') return HUGE
    if (Array.isArray(answer)) return answer.map(one => this.huge(one))
    return answer
  }

  private block(tag: string) {
    const found = tag === 'latest' ? this.seen() : this.chain.block(Number(tag))
    const { number, timeSec, hash } = found ?? this.seen()
    const lie = this.fault === 'far ahead' && tag === 'latest' ? AHEAD_SEC : 0
    const height = this.fault === 'huge' ? HUGER : number
    return { number: numberToHex(height), timestamp: numberToHex(timeSec + lie), hash }
  }
}

/** As a node throws it for an endpoint's answer that a call reverts, without a contract's error. */
const falseRevert = (url: string) =>
  new RpcRequestError({ body: { method: 'eth_call' }, url, error: { code: 3, message: 'execution reverted' } })

/** @throws the error of viem for a refused view. */
function asViemThrows(error: unknown): never {
  if (!(error instanceof RpcRequestError)) throw error
  throw new ExecutionRevertedError({ cause: error, message: error.details })
}

type Watching = { clock: Clock; logger: Logger; signal: AbortSignal }
type ViewCall = { functionName: string; args?: readonly unknown[] }
type BlockRange = { fromBlock: bigint; toBlock: bigint }
type EventsCall = BlockRange & { eventName?: string; args?: Record<string, unknown> }
type LogsCall = BlockRange & { events: readonly { name: string }[] }

/** The chain behind endpoints as a peer connects to it: its guard and its heads are the real ones. */
export async function connect(endpoints: readonly Endpoint[], watching: Watching): Promise<ConnectedChain> {
  const guard = createChainGuard({ endpoints, identity: { chainId: CHAIN_ID, firstBlock: 0 }, ...watching })
  await guard.check()
  const ask = (method: string, params: unknown[]) => guard.request({ method, params })
  const view = ({ functionName, args = [] }: ViewCall) => ask('eth_call', [functionName, args]).catch(asViemThrows)
  const rpc = {
    readContract: view,
    multicall: ({ contracts }: { contracts: readonly ViewCall[] }) => Promise.all(contracts.map(view)),
    getLogs: ({ events, fromBlock, toBlock }: LogsCall) => {
      const names = new Set(events.map(({ name }) => name))
      const isAsked = ({ eventName, blockNumber }: Log) =>
        names.has(eventName) && blockNumber >= fromBlock && blockNumber <= toBlock
      return ask('eth_getLogs', [isAsked])
    },
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
    getBalance: async () => BALANCE_WEI,
  } as unknown as ConnectedChain['rpc']
  const { clock, signal } = watching
  const heads = createHeads({ readHead: guard.readHead, clock, signal, pollMs: 500 })
  return { rpc, rpcUrl: 'http://simulated', heads, rpcCounts: () => ({ calls: 0, errors: 0 }) }
}
