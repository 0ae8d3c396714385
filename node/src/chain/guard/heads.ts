import type { Clock } from '#core/clock.ts'
import { createBlockPace } from './blockPace.ts'
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
  /** Chain time before which no block is news: polls are rare until then. */
  fromSec?: number
  /** Number of the block that the caller has; the newest one seen by default. */
  after?: number | null
}

/** The newest blocks of a chain. There are no requests while nobody waits. */
export type Heads = {
  /** The newest block, requested now. */
  read(): Promise<TakenHead>
  /** The newest block; requested unless the last one was seen less than the time between blocks ago. */
  recent(): Promise<TakenHead>
  /** Resolves with the next block that is seen. All callers share the same polls. */
  next(signal: AbortSignal, news?: News): Promise<TakenHead>
  /** Blocks around a time that were seen and are too deep to change: the newest before it, and the oldest at or after it. */
  around(timeSec: number): { before: TakenHead | undefined; from: TakenHead | undefined }
}

/** Heads that are kept to tell times of blocks. */
const KEPT = 1_024
const REORGANISATION_BLOCKS = 16
/** Blocks between polls while none is news, so that an outage or a jump is still noticed. */
const SPARSE_BLOCKS = 4

export function createHeads({ readHead, clock, signal, pollMs }: HeadsModules): Heads {
  const pace = createBlockPace(pollMs)
  const seen: TakenHead[] = []
  let polling: Promise<TakenHead> | null = null

  async function read(): Promise<TakenHead> {
    const head = await readHead()
    pace.seen(head)
    while ((seen.at(-1)?.number ?? -1) >= head.number) seen.pop()
    seen.push(head)
    if (seen.length > KEPT) seen.shift()
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

  /** How long no block can be news. */
  function quietMs(fromSec: number): number {
    const [last, blockMs] = [seen.at(-1), pace.blockMs()]
    if (last === undefined || blockMs === null) return 0
    const leftMs = (fromSec - last.timeSec) * 1000 - (clock.nowMs() - last.atMs)
    return Math.min(SPARSE_BLOCKS * blockMs, leftMs - blockMs)
  }

  return {
    read,
    async recent() {
      const last = seen.at(-1)
      const nowMs = clock.nowMs()
      const isRecent = last !== undefined && nowMs >= last.atMs && nowMs - last.atMs < (pace.blockMs() ?? pollMs)
      return isRecent ? last : read()
    },
    async next(signal, { fromSec = 0, after = null } = {}) {
      const last = seen.at(-1)
      if (last !== undefined && after !== null && last.number !== after) return last
      for (;;) {
        const quiet = quietMs(fromSec)
        if (quiet > 0) await clock.sleep(quiet, signal)
        // Another caller may have polled meanwhile.
        const found = quiet > 0 ? seen.at(-1) : undefined
        const isFresh = found !== undefined && clock.nowMs() - found.atMs < SPARSE_BLOCKS * (pace.blockMs() ?? 0)
        if (isFresh && found.hash !== last?.hash) return found
        signal.throwIfAborted()
        const head = await orAborted(poll(), signal)
        if (head.hash !== last?.hash) return head
      }
    },
    around(timeSec) {
      const deep = (seen.at(-1)?.number ?? 0) - REORGANISATION_BLOCKS
      const kept = seen.filter(({ number }) => number <= deep)
      return {
        before: kept.findLast(head => head.timeSec < timeSec),
        from: kept.find(head => head.timeSec >= timeSec),
      }
    },
  }
}

/** Rejects with the signal's reason as soon as it is aborted; the shared promise continues for the others. */
function orAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
