import type { Clock } from '#core/clock.ts'
import { ALONE_MS, ALONE_TIMES, type Head } from './outboxOptions.ts'

/** Blocks that must agree. */
const HEADS = 3

export type CertainRound = {
  /** @returns the round that has certainly begun: the lowest of the last few blocks; -1 until there are so many. */
  after(head: Head): number
  /** When the last head counts again without another block. */
  certainAtMs(): number
}

/**
 * The outbox drops calls of passed rounds for good, so that a single header does not decide it: an endpoint may give a false one, and the first
 * header after a start is compared with nothing.
 */
export function createCertainRound(clock: Clock): CertainRound {
  let seen: (Head & { atMs: number; alone: number })[] = []
  /** A chain without traffic may mine no other block. */
  const isSettled = (head: { alone: number } | undefined) => head !== undefined && head.alone >= ALONE_TIMES
  return {
    after(head) {
      const [last, atMs] = [seen.at(-1), clock.nowMs()]
      if (last?.block !== head.block || last.round !== head.round) seen.push({ ...head, atMs, alone: 0 })
      // In either direction: a clock may be set back.
      else if (Math.abs(atMs - last.atMs) >= ALONE_MS) Object.assign(last, { atMs, alone: last.alone + 1 })
      seen = seen.slice(-HEADS)
      while (isSettled(seen[1])) seen.shift()
      return seen.length === HEADS || isSettled(seen[0]) ? Math.min(...seen.map(({ round }) => round)) : -1
    },
    certainAtMs: () => (seen.at(-1)?.atMs ?? 0) + ALONE_MS,
  }
}
