import { knownNetworks } from '@waggle/deployments/networks'
import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import type { FollowedChain } from '#chain/connectChain.ts'
import type { Contracts } from '#chain/contracts.ts'
import { FALSE_LEAD_SEC, MAX_BLOCKS_PER_SEC, SLACK_SEC, type TakenHead } from '#chain/guard/followedHead.ts'

/** Blocks, and seconds, that an endpoint may be behind another. Slow public endpoints are a few blocks behind. */
const [MAX_LAG_BLOCKS, MAX_LAG_SEC] = [16, 120]
/** Age from which an audited block is reported as old. */
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

/** Whether an audited block is old. One of a local chain says nothing: that makes blocks when it is told to. */
export function isOld(timeSec: number, nowMs: number, { chainId }: Pick<Contracts, 'chainId'>): boolean {
  return !isLocal(chainId) && nowMs / 1000 - timeSec > OLD_SEC
}

/** Blocks that an audited block is below the newest: a balanced server may be two or three behind the one that told the newest. */
const SERVED_BLOCKS = 4

/** Blocks that the audited block is below the newest, so that no reorganisation takes it back and every server behind an address has it. */
export function auditedDepth({ chainId, reorganisedBlocks }: Pick<Contracts, 'chainId' | 'reorganisedBlocks'>): number {
  return isLocal(chainId) ? reorganisedBlocks : Math.max(reorganisedBlocks, SERVED_BLOCKS)
}

type NamedHead = { rpcUrl: string; head: Block }

/**
 * Holds the audited block to one endpoint's own newest block, so that no other endpoint's word counts: one that hides what came last can give its
 * newest block any number and any time.
 *
 * @param depth - blocks that the audited one is below the newest of `lowest`.
 * @throws {StaleEndpointError} if it is far more below this one's, both by blocks and by their time: a chain may also stand still.
 */
export function requireRecent({ rpcUrl, head }: NamedHead, block: Block, depth: number, lowest: NamedHead): void {
  const [blocks, seconds] = [head.number - block.number, head.timeSec - block.timeSec]
  if (blocks - depth <= MAX_LAG_BLOCKS || seconds <= MAX_LAG_SEC) return
  throw new StaleEndpointError(
    `The endpoints are far apart: the newest block of ${lowest.rpcUrl} is ${lowest.head.number}, and that of ${rpcUrl} is ${head.number}, ${seconds} s after block ${block.number}.`,
    {
      hint: 'The one that is behind hides what came since, unless the other one invents blocks: audit with a third one, or try again once it has caught up.',
      retryable: true,
    },
  )
}

class StaleEndpointError extends NodeError {
  override readonly code = 'STALE_ENDPOINT'
}

const isLocal = (chainId: number) => chainId === knownNetworks.local.chainId

/** The latest time that JavaScript can write. */
const LAST_SEC = 8_640_000_000_000

/** A time of the chain, ISO 8601. */
export const timeOf = (timeSec: number) => new Date(Math.min(timeSec, LAST_SEC) * 1000).toISOString()
