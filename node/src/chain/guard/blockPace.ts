import type { TakenHead } from './followedHead.ts'

/** Bounds of the pace: faster and slower chains are polled this often. */
const MIN_PACE_MS = 100
const MAX_PACE_MS = 12_000
/** Fewest and most blocks that the pace is computed from: a head is found up to one block late, so that few blocks say little. */
const LEARNED_FROM = 6
const REMEMBERED = 32
/** Fewer heads lie on a line whatever the chain does. */
const MIN_HEADS = 4
/** Blocks that a head may be off the line through the first and the last one: one, since it is found late, and what the miners are late. */
const STEADY_BLOCKS = 1.25
/** Each poll comes earlier than the last one by this fraction of the pace. Otherwise polls would drift ever later behind blocks. */
const EARLIER = 1 / 32
/** Wait after a poll that came too early, as a fraction of the pace. It doubles each time. */
const AGAIN = 1 / 8

type BlockPace = {
  /** Takes the head that a poll found. */
  seen(head: TakenHead): void
  /** Time until the next poll is due. */
  waitMs(nowMs: number): number
  /** Time between blocks; null until it is known. */
  blockMs(): number | null
}

/**
 * When to poll for the next block: about once a block, shortly after it is mined, whatever the time between blocks.
 *
 * The pace is computed from blocks whose times on the chain and here agree. A chain with a manipulated clock, or one that mines in bursts, has no
 * pace. When a head is read does not matter: others read heads between two polls.
 *
 * @param unlearnedMs - time between polls until the pace is known, and on chains without one.
 */
export function createBlockPace(unlearnedMs: number): BlockPace {
  let found: TakenHead[] = []
  let last: TakenHead | null = null
  let foundMs = 0
  let misses = 0

  function learn(before: TakenHead, head: TakenHead): void {
    const blocks = head.number - before.number
    const hereMs = head.atMs - before.atMs
    // Each of the two may have been found up to one block late: by a poll after a pause, or a read for another purpose.
    const lateMs = STEADY_BLOCKS * (blockMs() ?? 0)
    const isSteady = Math.abs((head.timeSec - before.timeSec) * 1000 - hereMs) < Math.max(1_500, hereMs / 2, lateMs)
    if (blocks <= 0 || !isSteady) found = []
    found.push(head)
    while (found.length > 2 && head.number - (found[1] as TakenHead).number >= REMEMBERED) found.shift()
  }

  function blockMs(): number | null {
    const [first, newest] = [found[0], found.at(-1)]
    if (first === undefined || newest === undefined || found.length < MIN_HEADS) return null
    if (newest.number - first.number < LEARNED_FROM) return null
    const pace = (newest.atMs - first.atMs) / (newest.number - first.number)
    const blocksOff = (head: TakenHead) => Math.abs((head.atMs - first.atMs) / pace - (head.number - first.number))
    return found.every(head => blocksOff(head) <= STEADY_BLOCKS)
      ? Math.min(MAX_PACE_MS, Math.max(MIN_PACE_MS, pace))
      : null
  }

  return {
    blockMs,
    seen(head) {
      const isNew = last === null || head.hash !== last.hash
      if (!isNew) {
        misses += 1
        foundMs = head.atMs
        return
      }
      learn(last ?? head, head)
      last = head
      foundMs = head.atMs
      misses = 0
    },
    waitMs(nowMs) {
      const pace = blockMs()
      if (pace === null) return unlearnedMs
      const part = misses === 0 ? 1 - EARLIER : Math.min(1, AGAIN * 2 ** (misses - 1))
      return Math.max(0, foundMs + pace * part - nowMs)
    },
  }
}
