import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'

type BlockTime = { number: number; timeSec: number }

/**
 * The first block at or after a time. It turns a round into a range of blocks to read events from. The search starts between blocks that were
 * already seen, and assumes equal times between blocks: then two reads are enough. Every third step halves the range, for irregular chains.
 *
 * @param fromBlock - the first block to search.
 * @param head - the newest block.
 * @returns null if the chain has not reached that time.
 */
export async function blockAtTime(
  { rpc, rpcUrl, heads }: FollowedChain,
  timeSec: number,
  fromBlock: number,
  head: BlockTime,
): Promise<number | null> {
  if (head.timeSec < timeSec) return null
  const seen = heads.around(timeSec)
  let before: BlockTime | undefined = seen.before
  let from = seen.from !== undefined && seen.from.number < head.number ? seen.from : head
  let low = Math.max(fromBlock, (before?.number ?? -1) + 1)
  for (let reads = 1; low < from.number; reads++) {
    const guess = before !== undefined && reads % 3 !== 0 ? guessed(before, from, timeSec) : (low + from.number) / 2
    const number = Math.max(low, Math.min(from.number - 1, Math.floor(guess)))
    const block = await callChain(rpcUrl, () => rpc.getBlock({ blockNumber: BigInt(number) }))
    const found = { number, timeSec: Number(block.timestamp) }
    if (found.timeSec >= timeSec) from = found
    else {
      before = found
      low = number + 1
    }
  }
  return low
}

/** Estimates the first block at or after a time, assuming equal times between blocks. */
function guessed(before: BlockTime, from: BlockTime, timeSec: number): number {
  const share = (timeSec - before.timeSec) / Math.max(1, from.timeSec - before.timeSec)
  return Math.ceil(before.number + share * (from.number - before.number))
}
