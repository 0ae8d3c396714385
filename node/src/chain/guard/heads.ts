import type { Clock } from '#core/clock.ts'
import { beforeAbort } from '#core/deadline.ts'
import type { TakenHead } from './followedHead.ts'

type HeadsModules = {
  readHead: () => Promise<TakenHead>
  clock: Clock
  /** Ends polling. */
  signal: AbortSignal | undefined
  /** Time between polls until the time between blocks is known. */
  pollMs: number
}

type News = {
  /** Chain time before which new blocks do not matter: polls are rare until then. */
  fromSec?: number
  /** Number of the block that the caller has; the newest one seen by default. */
  after?: number | null
}

/** The newest blocks of a chain. There are no requests while nobody waits. */
export type Heads = {
  /** The newest block, requested now. */
  read(): Promise<TakenHead>
  /** The newest block; requested unless the last one was seen less than the time between blocks ago, and is enough for the caller. */
  recent(isEnough?: (head: TakenHead) => boolean): Promise<TakenHead>
  /** Resolves with the next block that is seen. All callers share the same polls. */
  next(signal: AbortSignal, news?: News): Promise<TakenHead>
  /** Seen blocks around a time that are too deep to change: the newest before it, and the oldest at or after it. */
  around(timeSec: number): { before: TakenHead | undefined; from: TakenHead | undefined }
}

/** Heads that are kept to find times of blocks. */
const KEPT = 1_024
const REORGANISATION_BLOCKS = 16
/** Blocks between polls while new blocks do not matter, so that an outage or a jump is still noticed. */
const SPARSE_BLOCKS = 4

export function createHeads({ readHead, clock, signal, pollMs }: HeadsModules): Heads {
  const pace = createBlockPace(pollMs)
  const seen = createSeenHeads()
  let polling: Promise<TakenHead> | null = null

  async function read(): Promise<TakenHead> {
    const head = await readHead()
    pace.seen(head)
    seen.add(head)
    return head
  }

  /** One poll for all callers, when it is due. */
  function poll(): Promise<TakenHead> {
    polling ??= clock
      .sleep(pace.waitMs(clock.nowMs()), signal)
      .then(read)
      .catch(async error => {
        await clock.sleep(pollMs, signal)
        throw error
      })
      .finally(() => {
        polling = null
      })
    return polling
  }

  /** Time until a new block can matter. */
  function quietMs(fromSec: number): number {
    const [last, blockMs] = [seen.newest(), pace.blockMs()]
    if (last === undefined || blockMs === null) return 0
    const leftMs = (fromSec - last.timeSec) * 1000 - (clock.nowMs() - last.atMs)
    return Math.min(SPARSE_BLOCKS * blockMs, leftMs - blockMs)
  }

  return {
    read,
    async recent(isEnough = () => true) {
      const last = seen.newest()
      const nowMs = clock.nowMs()
      const isRecent = last !== undefined && nowMs >= last.atMs && nowMs - last.atMs < (pace.blockMs() ?? pollMs)
      return isRecent && isEnough(last) ? last : read()
    },
    async next(signal, { fromSec = 0, after = null } = {}) {
      const last = seen.newest()
      if (last !== undefined && after !== null && last.number !== after) return last
      for (;;) {
        const quiet = quietMs(fromSec)
        if (quiet > 0) await clock.sleep(quiet, signal)
        // Another caller may have polled meanwhile.
        const found = quiet > 0 ? seen.newest() : undefined
        const isFresh = found !== undefined && clock.nowMs() - found.atMs < SPARSE_BLOCKS * (pace.blockMs() ?? 0)
        if (isFresh && found.hash !== last?.hash) return found
        signal.throwIfAborted()
        const head = await beforeAbort(poll(), signal)
        if (head.hash !== last?.hash) return head
      }
    },
    around: seen.around,
  }
}

/** The newest heads, in the order of the chain. */
function createSeenHeads() {
  const seen: TakenHead[] = []

  return {
    newest: () => seen.at(-1),
    add(head: TakenHead): void {
      // Earlier heads that are higher, or later, are of another fork, or were false.
      for (
        let last = seen.at(-1);
        last && (last.number >= head.number || last.timeSec > head.timeSec);
        last = seen.at(-1)
      )
        seen.pop()
      seen.push(head)
      if (seen.length > KEPT) seen.shift()
    },
    around(timeSec: number): ReturnType<Heads['around']> {
      const deep = (seen.at(-1)?.number ?? 0) - REORGANISATION_BLOCKS
      const kept = seen.filter(({ number }) => number <= deep)
      return {
        before: kept.findLast(head => head.timeSec < timeSec),
        from: kept.find(head => head.timeSec >= timeSec),
      }
    },
  }
}

/** Bounds of the pace: faster and slower chains are polled this often. */
const MIN_PACE_MS = 100
const MAX_PACE_MS = 12_000
/** Fewest and most blocks that the pace is computed from: a head is found up to one block late, so that few blocks say little. */
const LEARNED_FROM = 6
const REMEMBERED = 32
/** Fewer heads always lie on a line. */
const MIN_HEADS = 4
/** Blocks that a head may be off the line through the first and the last one: one for finding it late, and a part for late miners. */
const STEADY_BLOCKS = 1.25
/** Each poll comes earlier than the last one by this fraction of the pace. Otherwise polls would drift ever later behind blocks. */
const EARLIER = 1 / 32
/** Wait after a poll that came too early, as a fraction of the pace. It doubles each time. */
const AGAIN = 1 / 8

type BlockPace = {
  /** Adds the head that a poll found. */
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
function createBlockPace(unlearnedMs: number): BlockPace {
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
