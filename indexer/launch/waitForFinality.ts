import { setTimeout as delay } from 'node:timers/promises'
import type { Chain } from './chain.ts'

/** Blocks after which Ponder considers a block final; 30 on chains that it does not know. */
const FINALITY_BLOCKS: Readonly<Record<number, bigint>> = { 1: 65n, 11155111: 65n }

export const finalityBlocks = (chainId: number) => FINALITY_BLOCKS[chainId] ?? 30n

const WAIT_MS = 30_000
const POLL_MS = 250

/**
 * Waits until the chain has reached the block at which the index was written. A killed local chain may lose up to a second, and a public
 * endpoint may lag; Ponder would give up at once ("finalized block cannot move backwards").
 *
 * @param chainId - Ponder's finality depends on it.
 * @param finalizedSec - time of the last block that was final then, Unix seconds.
 * @returns false if the chain stays behind: it is another chain, or was rolled back beyond finality.
 */
export async function waitForFinality(
  chain: Pick<Chain, 'getBlock'>,
  chainId: number,
  finalizedSec: number,
): Promise<boolean> {
  const depth = finalityBlocks(chainId)
  const deadlineMs = performance.now() + WAIT_MS
  for (;;) {
    const latest = await chain.getBlock()
    // A chain whose tip is older is not catching up: it was restarted.
    if (latest.timestamp < finalizedSec) return false
    const number = latest.number > depth ? latest.number - depth : 0n
    const { timestamp } = await chain.getBlock({ blockNumber: number })
    if (timestamp >= finalizedSec) return true
    if (performance.now() > deadlineMs) return false
    await delay(POLL_MS)
  }
}
