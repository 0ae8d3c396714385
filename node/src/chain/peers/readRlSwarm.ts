import { swarmCoordinatorAbi } from '@waggle/deployments/abi'
import type { Address } from 'viem'
import { type Clock, systemClock } from '#core/clock.ts'
import { callChain } from '../callChain.ts'
import { ChainUnreachableError, StateUnavailableError } from '../chainErrors.ts'
import { clientOf } from '../clientOf.ts'
import { type BlockRange, eventRanges, RARE_RANGE_BLOCKS } from '../eventRanges.ts'
import { lacksState } from '../guard/answers.ts'
import { createEndpoint, type Endpoint } from '../guard/endpoint.ts'
import { requestOnce } from '../guard/requestOnce.ts'

/** Totals of a peer at RL Swarm's coordinator. */
export type LeaderboardRow = { peerId: string; rewards: bigint; wins: bigint }

export type RlSwarm = ReturnType<typeof openRlSwarm>

/** Peers of one request for totals: with all their rewards, four concurrent batches. */
const PEERS_AT_ONCE = 79
/** Blocks that a reorganisation may still revert. */
const UNSETTLED_BLOCKS = 16n
const MAX_PEER_ID_CHARACTERS = 128
/** Bounds of a row in `importLeaderboard`. */
const [MAX_REWARDS, MAX_WINS] = [2n ** 127n - 1n, 2n ** 64n - 1n]

/**
 * RL Swarm's SwarmCoordinator on its own chain (rl-swarm-contracts 0.6.0), read-only.
 *
 * @param coordinator - its proxy.
 */
export function openRlSwarm(
  rpcUrl: string,
  coordinator: Address,
  { endpoint = createEndpoint(rpcUrl), clock = systemClock }: { endpoint?: Endpoint; clock?: Clock } = {},
) {
  const { client, call, registeredIn, totalsOf } = openQuestions(rpcUrl, coordinator, requestOnce([endpoint], clock))

  return {
    chainId: () => call(() => client.getChainId()),
    /** The newest block that no reorganisation reverts. */
    async settledBlock(): Promise<{ number: bigint; hash: string }> {
      const newest = await call(() => client.getBlockNumber({ cacheTime: 0 }))
      const blockNumber = newest > UNSETTLED_BLOCKS ? newest - UNSETTLED_BLOCKS : 0n
      const { number, hash } = await call(() => client.getBlock({ blockNumber }))
      return { number, hash }
    },
    /** Peer ids as they were registered, block range by block range, up to and with `last`. */
    async *registered(first: bigint, last: bigint): AsyncGenerator<{ through: bigint; peerIds: string[] }> {
      const span = { first, last, most: RARE_RANGE_BLOCKS }
      for await (const { through, events } of eventRanges({ rpcUrl }, span, registeredIn))
        yield { through, peerIds: events }
    },
    /**
     * Total rewards and wins of peers at a block.
     *
     * @returns their rows, and how many peers have totals or names that `importLeaderboard` cannot take.
     * @throws {StateUnavailableError} if the endpoint does not keep the state of that block, or stops keeping it meanwhile.
     */
    async totals(peerIds: readonly string[], blockNumber: bigint): Promise<{ rows: LeaderboardRow[]; unfit: number }> {
      const fitting = peerIds.filter(peerId => peerId.length > 0 && peerId.length <= MAX_PEER_ID_CHARACTERS)
      const rows: LeaderboardRow[] = []
      for (let first = 0; first < fitting.length; first += PEERS_AT_ONCE) {
        try {
          rows.push(...(await totalsOf(fitting.slice(first, first + PEERS_AT_ONCE), blockNumber)))
        } catch (cause) {
          throw cause instanceof ChainUnreachableError && lacksState(cause.message) ? gone(blockNumber, cause) : cause
        }
      }
      const kept = rows.filter(
        ({ rewards, wins }) => rewards <= MAX_REWARDS && rewards >= -MAX_REWARDS && wins <= MAX_WINS,
      )
      return { rows: kept, unfit: peerIds.length - kept.length }
    },
  }
}

/** Single requests to the coordinator; the caller finds out which ones an endpoint answers. */
function openQuestions(rpcUrl: string, coordinator: Address, request: ReturnType<typeof requestOnce>) {
  const client = clientOf(request)
  const contract = { address: coordinator, abi: swarmCoordinatorAbi } as const
  const call = <T>(work: () => Promise<T>) => callChain(rpcUrl, work)

  /** The peers of a block range. */
  async function registeredIn(range: BlockRange): Promise<string[]> {
    const query = { ...contract, eventName: 'PeerRegistered', strict: true, ...range } as const
    return (await client.getContractEvents(query)).map(({ args }) => args.peerId)
  }

  /** Both totals of a few peers, in their order. */
  async function totalsOf(peerIds: readonly string[], blockNumber: bigint): Promise<LeaderboardRow[]> {
    const at = { ...contract, blockNumber } as const
    const [rewards, wins] = await Promise.all([
      call(() => client.readContract({ ...at, functionName: 'getTotalRewards', args: [peerIds] })),
      Promise.all(
        peerIds.map(peerId => call(() => client.readContract({ ...at, functionName: 'getTotalWins', args: [peerId] }))),
      ),
    ])
    return peerIds.map((peerId, i) => ({ peerId, rewards: rewards[i] as bigint, wins: wins[i] as bigint }))
  }

  return { client, call, registeredIn, totalsOf }
}

function gone(blockNumber: bigint, cause: ChainUnreachableError): StateUnavailableError {
  return new StateUnavailableError(`The totals at block ${blockNumber} could not be read: ${cause.message}`, {
    hint: 'The endpoint keeps the state of too few blocks: name an archive endpoint with --from, or a faster one. The search for peers is kept.',
    retryable: true,
    cause,
  })
}
