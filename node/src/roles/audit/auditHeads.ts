import { knownNetworks } from '@waggle/deployments/networks'
import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import type { FollowedChain } from '#chain/connectChain.ts'
import type { Contracts } from '#chain/contracts.ts'
import { FALSE_LEAD_SEC, MAX_BLOCKS_PER_SEC, SLACK_SEC, type TakenHead } from '#chain/guard/followedHead.ts'

/** Blocks, and seconds, that an endpoint may be behind another. Slow public endpoints are a few blocks behind. */
const [MAX_LAG_BLOCKS, MAX_LAG_SEC] = [16, 120]
/** Age from which a newest block is reported as old. */
const OLD_SEC = 3_600

type Block = Pick<TakenHead, 'number' | 'timeSec'>

/**
 * An endpoint's newest block.
 *
 * @throws {ChainUnreachableError} if no chain can have it: all events up to it would be read, which might not end.
 */
export async function readHead(
  { rpc, rpcUrl, heads }: FollowedChain,
  contracts: Pick<Contracts, 'chainId' | 'startBlock'>,
): Promise<TakenHead> {
  const { number, timestamp } = await callChain(rpcUrl, () =>
    rpc.getBlock({ blockNumber: BigInt(contracts.startBlock) }),
  )
  const head = await heads.read()
  const fault = faultOfHead(head, { number: Number(number), timeSec: Number(timestamp) }, contracts)
  if (fault === null) return head
  throw new ChainUnreachableError(`The chain at ${rpcUrl} gave no valid answer (${fault}).`, {
    hint: 'Check the RPC URL (--rpc) and the clock of this machine, or name another endpoint.',
    retryable: true,
  })
}

/** The fault of a newest block by the clock, and by how fast chains grow; null if it has none. */
export function faultOfHead(head: TakenHead, first: Block, { chainId }: Pick<Contracts, 'chainId'>): string | null {
  const leadSec = head.timeSec - head.atMs / 1000
  if (!isLocal(chainId) && leadSec > FALSE_LEAD_SEC)
    return `a newest block of ${timeOf(head.timeSec)}, which is still to come`
  const passedSec = head.timeSec - first.timeSec + SLACK_SEC
  if (head.number - first.number <= passedSec * MAX_BLOCKS_PER_SEC) return null
  return `a newest block ${head.number} of ${timeOf(head.timeSec)}, when block ${first.number} was of ${timeOf(first.timeSec)}`
}

/** Whether a newest block is old. One of a local chain says nothing: that makes blocks when it is told to. */
export function isOld({ timeSec, atMs }: TakenHead, { chainId }: Pick<Contracts, 'chainId'>): boolean {
  return !isLocal(chainId) && atMs / 1000 - timeSec > OLD_SEC
}

/** @throws {StaleEndpointError} if an endpoint is far behind another, both by blocks and by their time: a chain may also stand still. */
export function requireAlike(endpoints: readonly { rpcUrl: string; head: Block }[]): void {
  const [first, ...others] = endpoints.toSorted((a, b) => a.head.number - b.head.number)
  for (const other of others) {
    if (first === undefined) return
    const isBehind =
      other.head.number - first.head.number > MAX_LAG_BLOCKS && other.head.timeSec - first.head.timeSec > MAX_LAG_SEC
    if (!isBehind) continue
    const wordsOf = ({ rpcUrl, head }: typeof other) =>
      `${rpcUrl} is at block ${head.number} of ${timeOf(head.timeSec)}`
    throw new StaleEndpointError(`The endpoints are far apart: ${wordsOf(first)}, and ${wordsOf(other)}.`, {
      hint: 'The one that is behind hides what came since. Leave it out, or try again once it has caught up.',
      retryable: true,
    })
  }
}

class StaleEndpointError extends NodeError {
  override readonly code = 'STALE_ENDPOINT'
}

const isLocal = (chainId: number) => chainId === knownNetworks.local.chainId

/** The latest time that JavaScript can write. */
const LAST_SEC = 8_640_000_000_000

/** A time of the chain, ISO 8601. */
export const timeOf = (timeSec: number) => new Date(Math.min(timeSec, LAST_SEC) * 1000).toISOString()
