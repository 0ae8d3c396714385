import { blockAtTime } from './blockAtTime.ts'
import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'

/** Blocks in one request for events: public endpoints refuse more than a few thousand. */
export const EVENT_RANGE_BLOCKS = 2000

/** A read of events in the span of blocks of some rounds. */
export type EventReader = {
  /**
   * @param rounds - first and last round in which the events can have been emitted.
   * @param read - reads the events of a range of blocks, both ends included.
   */
  inRounds<T>(
    rounds: { first: number; last: number },
    read: (range: { fromBlock: bigint; toBlock: bigint }) => Promise<T[]>,
  ): Promise<T[]>
}

export function createEventReader(chain: ChainClient, contracts: Contracts): EventReader {
  /** Start of a round → its first block, once that is too deep to change. */
  const starts = new Map<number, number>()

  async function firstBlockOf(round: number, head: number): Promise<number | null> {
    const known = starts.get(round)
    if (known !== undefined) return known
    const startsAtSec = await callChain(chain.rpcUrl, () =>
      chain.rpc.readContract({ ...contracts.rounds, functionName: 'startOf', args: [BigInt(round)] }),
    )
    const block = await blockAtTime(chain, Number(startsAtSec), contracts.startBlock)
    if (block !== null && block < head - REORGANISATION_BLOCKS) starts.set(round, block)
    return block
  }

  return {
    async inRounds({ first, last }, read) {
      const head = Number((await callChain(chain.rpcUrl, () => chain.rpc.getBlock({ blockTag: 'latest' }))).number)
      const from = first <= 0 ? contracts.startBlock : await firstBlockOf(first, head)
      if (from === null) return []
      const end = await firstBlockOf(last + 1, head)
      const to = end === null ? head : end - 1
      const events = []
      for (let at = from; at <= to; at += EVENT_RANGE_BLOCKS) {
        const range = { fromBlock: BigInt(at), toBlock: BigInt(Math.min(to, at + EVENT_RANGE_BLOCKS - 1)) }
        events.push(...(await callChain(chain.rpcUrl, () => read(range))))
      }
      if (starts.size > 64) for (const round of [...starts.keys()].slice(0, 32)) starts.delete(round)
      return events
    },
  }
}

const REORGANISATION_BLOCKS = 16
