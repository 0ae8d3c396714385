import type { Clock } from '#core/clock.ts'
import type { Head } from './outboxOptions.ts'

/** Blocks that must agree. */
const HEADS = 3
/** Or the time for which no other block came: a chain without traffic may mine none. More than two polls of any chain. */
const ALONE_MS = 30_000

export type CertainRound = {
  /** @returns the round that has certainly begun: the lowest of the last few blocks; -1 until there are so many. */
  after(head: Head): number
  /** When the round of the last head is certain even without another block. */
  certainAtMs(): number
}

/**
 * The outbox drops calls of passed rounds for good, so that a single header does not decide it: an endpoint may give a false one, and the first
 * header after a start is compared with nothing.
 */
export function createCertainRound(clock: Clock): CertainRound {
  let seen: (Head & { atMs: number })[] = []
  const isOld = (head: { atMs: number } | undefined) => head !== undefined && clock.nowMs() - head.atMs >= ALONE_MS
  return {
    after(head) {
      const last = seen.at(-1)
      if (last?.block !== head.block || last.round !== head.round) seen.push({ ...head, atMs: clock.nowMs() })
      seen = seen.slice(-HEADS)
      while (isOld(seen[1])) seen.shift()
      return seen.length === HEADS || isOld(seen[0]) ? Math.min(...seen.map(({ round }) => round)) : -1
    },
    certainAtMs: () => (seen.at(-1)?.atMs ?? 0) + ALONE_MS,
  }
}
