import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'

/**
 * The first block at or after a time, by bisection: what turns a round into a range of blocks to read events from.
 *
 * @param fromBlock - no earlier block is looked at.
 * @returns null if the chain has not come that far.
 */
export async function blockAtTime(
  { rpc, rpcUrl }: ChainClient,
  timeSec: number,
  fromBlock: number,
): Promise<number | null> {
  const head = await callChain(rpcUrl, () => rpc.getBlock({ blockTag: 'latest' }))
  if (Number(head.timestamp) < timeSec) return null
  let low = fromBlock
  let high = Number(head.number)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const block = await callChain(rpcUrl, () => rpc.getBlock({ blockNumber: BigInt(middle) }))
    if (Number(block.timestamp) < timeSec) low = middle + 1
    else high = middle
  }
  return low
}
