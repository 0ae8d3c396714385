import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { type BlockRange, eventRanges } from '../eventRanges.ts'
import type { TakenHead } from '../guard/followedHead.ts'
import { blockAtTime } from './blockAtTime.ts'

type ReadRange<T> = (range: BlockRange) => Promise<T[]>

/** A read of events in the span of blocks of some rounds. */
export type EventReader = {
  /**
   * @param rounds - first and last round in which the events can have been emitted; -1 is the time before round 0, and nothing was
   * emitted in rounds before that.
   * @param read - reads the events of a range of blocks, both ends included; ranges come in order, and smaller where there are too many events
   *   for one answer.
   */
  inRounds<T>(rounds: { first: number; last: number }, read: ReadRange<T>): Promise<T[]>
}

export type RoundEvents = EventReader & {
  /** Whether a round is known to have ended in a block that is too deep to change. */
  isOver(round: number): boolean
}

export function createEventReader(chain: FollowedChain, contracts: Contracts): RoundEvents {
  /** Start of a round → its first block, once that is too deep to change. */
  const starts = new Map<number, number>()
  /** The same for blocks that can still change, as long as the head is unchanged. */
  const shallow = { head: '', starts: new Map<number, number>() }
  /** Start of a round that has begun → its time, which does not change any more. */
  const times = new Map<number, number>()

  async function startOf(round: number, head: TakenHead): Promise<number> {
    const known = times.get(round)
    if (known !== undefined) return known
    const args = [BigInt(round)] as const
    const call = { ...contracts.rounds, functionName: 'startOf', args } as const
    const startsAtSec = Number(await callChain(chain.rpcUrl, () => chain.rpc.readContract(call)))
    if (startsAtSec <= head.timeSec) times.set(round, startsAtSec)
    return startsAtSec
  }

  async function firstBlockOf(round: number, head: TakenHead): Promise<number | null> {
    if (shallow.head !== head.hash) {
      shallow.head = head.hash
      shallow.starts.clear()
    }
    const known = starts.get(round) ?? shallow.starts.get(round)
    if (known !== undefined) return known
    const block = await blockAtTime(chain, await startOf(round, head), contracts.startBlock, head)
    if (block === null) return null
    if (block < head.number - REORGANISATION_BLOCKS) starts.set(round, block)
    else if (shallow.head === head.hash) shallow.starts.set(round, block)
    return block
  }

  return {
    isOver: round => starts.has(round + 1),
    async inRounds<T>({ first, last }: { first: number; last: number }, read: ReadRange<T>): Promise<T[]> {
      if (last < -1) return []
      // Later blocks add nothing to finished rounds. Events of the running round may follow from its newest block.
      const endsAtSec = times.get(last + 1) ?? Number.POSITIVE_INFINITY
      const head = await chain.heads.recent(({ timeSec }) => timeSec >= endsAtSec)
      const from = first <= 0 ? contracts.startBlock : await firstBlockOf(first, head)
      if (from === null) return []
      const end = await firstBlockOf(last + 1, head)
      const to = end === null ? head.number : end - 1
      const events: T[] = []
      for await (const range of eventRanges(chain, { first: BigInt(from), last: BigInt(to) }, read))
        for (const event of range.events) events.push(event)
      for (const known of [starts, times])
        if (known.size > 64) for (const round of [...known.keys()].slice(0, 32)) known.delete(round)
      return events
    },
  }
}

const REORGANISATION_BLOCKS = 16

/** Rounds that duties read repeatedly: from the one that is voted on to the one whose openings are closed. */
const KEPT_ROUNDS = 6

/**
 * Caches the read of a round for all duties once it can no longer change: in a large swarm each read takes tens of megabytes of the endpoint's
 * answers. Nothing is an answer that an endpoint also gives falsely, and costs little to read: it is not cached.
 *
 * @param isOver - whether the round's last block is too deep to change, as far as is known.
 */
export function keepFinal<T extends { length: number }>(
  read: (round: number) => Promise<T>,
  isOver: (round: number) => boolean,
): (round: number) => Promise<T> {
  const kept = new Map<number, Promise<T>>()
  return round => {
    const known = kept.get(round)
    if (known !== undefined) return known
    // Checked first: the read after it is then complete.
    const isFinal = isOver(round)
    const value = read(round)
    if (!isFinal) return value
    kept.set(round, value)
    const forget = () => void kept.delete(round)
    value.then(({ length }) => length === 0 && forget(), forget)
    for (const oldest of kept.keys()) if (kept.size > KEPT_ROUNDS) kept.delete(oldest)
    return value
  }
}
