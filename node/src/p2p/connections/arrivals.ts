import type { Clock } from '#core/clock.ts'
import { originOf } from '../membership/origin.ts'
import { StreamError } from '../streams/streamError.ts'

/** A connection that libp2p accepted and has not upgraded: the needed part of its `MultiaddrConnection`. */
export type Arrival = Pick<EventTarget, 'addEventListener'> & {
  readonly remoteAddr: { toString(): string }
  abort(cause: Error): void
}

/** Concurrent handshakes. Each takes milliseconds of the event loop, and ten seconds at most. */
export const MAX_ARRIVALS = 64
/** An honest handshake ends sooner, except on an overloaded machine. */
const GRACE_MS = 3_000

export type Arrivals = {
  /** @returns whether it is accepted; another one may have been aborted for it. */
  enter(arrival: Arrival): boolean
  /** It is upgraded. */
  leave(arrival: Arrival): void
}

/**
 * Connections that are not upgraded yet: a peer that opens many and stays silent cannot keep others out. Above the limit, the oldest
 * connection of the subnet with the most is aborted: at once for a newcomer from a subnet with fewer, else after a grace time.
 */
export function createArrivals(clock: Pick<Clock, 'nowMs'>, most = MAX_ARRIVALS): Arrivals {
  /** Oldest first. */
  const arriving = new Map<Arrival, { subnet: string; atMs: number }>()

  /** Aborts the oldest connection of the subnet with the most, if a newcomer from the given subnet may replace it. */
  function makePlace(subnet: string): boolean {
    const bySubnet = Map.groupBy(arriving, ([, { subnet }]) => subnet)
    const [crowd = []] = [...bySubnet.values()].sort((a, b) => b.length - a.length)
    const [oldest, { atMs }] = crowd[0] as [Arrival, { atMs: number }]
    const isFewer = (bySubnet.get(subnet)?.length ?? 0) + 1 < crowd.length
    if (!isFewer && clock.nowMs() - atMs < GRACE_MS) return false
    arriving.delete(oldest)
    oldest.abort(new StreamError('closed'))
    return true
  }

  return {
    enter(arrival) {
      const subnet = originOf(arrival.remoteAddr.toString())?.subnet ?? ''
      if (arriving.size >= most && !makePlace(subnet)) return false
      arriving.set(arrival, { subnet, atMs: clock.nowMs() })
      arrival.addEventListener('close', () => arriving.delete(arrival))
      return true
    },
    leave: arrival => void arriving.delete(arrival),
  }
}
