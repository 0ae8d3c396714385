import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'

/**
 * The first block at or after a time, by bisection. It turns a round into a range of blocks to read events from. Blocks
 * that were already seen narrow the range first.
 *
 * @param fromBlock - the first block to search.
 * @param head - the newest block.
 * @returns null if the chain has not reached that time.
 */
export async function blockAtTime(
  { rpc, rpcUrl, heads }: FollowedChain,
  timeSec: number,
  fromBlock: number,
  head: { number: number; timeSec: number },
): Promise<number | null> {
  if (head.timeSec < timeSec) return null
  const { before, from } = heads.around(timeSec)
  let low = Math.max(fromBlock, (before?.number ?? -1) + 1)
  let high = Math.min(head.number, from?.number ?? head.number)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const block = await callChain(rpcUrl, () => rpc.getBlock({ blockNumber: BigInt(middle) }))
    if (Number(block.timestamp) < timeSec) low = middle + 1
    else high = middle
  }
  return low
}
