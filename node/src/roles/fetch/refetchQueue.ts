import type { Clock } from '#core/clock.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import { type PeerResult, peerFault } from './peerResult.ts'
import { slotExpired } from './slotExpired.ts'

/** Times that a payload queues again after it lost its slot. */
const MAX_TURNS = 3

type Options = {
  /** Payloads that are fetched, or in memory, at a time. */
  slots: number
  clock: Clock
  /** Time between two polls of the queue. */
  everyMs: number
  roundMs: () => number
}

type Bytes = PeerResult<Uint8Array>
type Refetch = <T>(
  fetch: (signal: AbortSignal) => Promise<Bytes>,
  use: (fetched: Bytes) => Promise<PeerResult<T>>,
  signal: AbortSignal,
) => Promise<PeerResult<T>>

/**
 * Fetches payloads again that were dropped before their work. Each keeps its slot until the work has ended. A fetch that others wait for too long is
 * cancelled and queues again.
 */
export function createRefetchQueue({ slots, clock, everyMs, roundMs }: Options): Refetch {
  const limit = createKeyedLimit(slots)

  /** The bytes, or null if others waited for the slot for too long. */
  async function fetchInTime(fetch: (signal: AbortSignal) => Promise<Bytes>, signal: AbortSignal) {
    const ended = new AbortController()
    const end = () => ended.abort()
    slotExpired({ of: limit, count: slots, clock, everyMs, roundMs }, ended.signal).then(end, () => undefined)
    try {
      const fetched = await fetch(AbortSignal.any([signal, ended.signal]))
      return !fetched.ok && ended.signal.aborted && !signal.aborted ? null : fetched
    } finally {
      end()
    }
  }

  return async (fetch, use, signal) => {
    for (let turns = 0; turns < MAX_TURNS; turns += 1) {
      const used = await limit.run('', async () => {
        const fetched = await fetchInTime(fetch, signal)
        return fetched && use(fetched)
      })
      if (used !== null) return used
    }
    return peerFault('too slow', 'others waited')
  }
}
