import type { Clock } from '#core/clock.ts'
import { originOf } from '../membership/origin.ts'
import { StreamError } from '../transfer/streamError.ts'

/** What libp2p accepted and has not upgraded: of its `MultiaddrConnection`, what is needed here. */
export type Arrival = Pick<EventTarget, 'addEventListener'> & {
  readonly remoteAddr: { toString(): string }
  abort(cause: Error): void
}

/** Handshakes at a time. Each takes milliseconds of the event loop, and ends after ten seconds at the latest. */
export const MAX_ARRIVALS = 64
/** An honest handshake ends sooner, but on a machine that has too much to do. */
const GRACE_MS = 3_000

export type Arrivals = {
  /** @returns whether there is a place for it; another one may have been cut off for that. */
  enter(arrival: Arrival): boolean
  /** It is upgraded. */
  leave(arrival: Arrival): void
}

/**
 * Connections that are not upgraded yet: whoever opens many and says nothing keeps nobody else out. Of too many, the oldest of the subnet
 * that has most of them gives way: at once to who comes from a subnet with fewer, else after a while.
 */
export function createArrivals(clock: Pick<Clock, 'nowMs'>, most = MAX_ARRIVALS): Arrivals {
  /** Oldest first. */
  const arriving = new Map<Arrival, { subnet: string; atMs: number }>()

  /** Cuts off the oldest of the subnet that has most, if it has to give way to one of this subnet. */
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
