import type { Clock } from '#core/clock.ts'
import { StreamError } from '../streams/streamError.ts'
import { createPeerBuckets } from '../tokenBucket.ts'

export type PlaceLimits = {
  /** Concurrent payloads to one peer; further requests are answered `busy`. */
  streamsPerPeer: number
  /** Concurrent payloads to all peers. Bounds open files, and the parts of them in memory. */
  streams: number
  /** A payload that a peer reads more slowly is dropped for others. */
  minBytesPerSecond: number
}

/** A payload that is being sent to a peer. */
export type Place = {
  /** Aborts if another peer gets the place. */
  readonly signal: AbortSignal
  took(bytes: number): void
  /** @param isWhole - whether the peer has all of the payload now. */
  leave(isWhole: boolean): void
}

export type Places = {
  /** Null: the peer has to try again later. */
  enter(peer: string): Place | null
}

type Held = { peer: string; sinceMs: number; bytes: number; ended: AbortController }

/** Before a payload counts as taken slowly: connections begin slowly. */
const GRACE_MS = 2_000
/** A peer that left a payload half read has low priority for this long: else it could restart each time and never count as slow. */
const REMEMBERED_MS = 10_000
/** Peers that are remembered: ids cost nothing. */
const MAX_REMEMBERED = 1_024
/** Payloads that a peer may leave half read, per second and in a burst: each is read from the disk and hashed before its first byte is sent. */
const [LEFT_PER_SECOND, LEFT_AT_ONCE] = [0.4, 4]
/** Payloads that one peer requests at once; a peer with more loses slots first. */
const FAIR_STREAMS = 2

/**
 * Slots for sending payloads. Unregistered peers have at most half of them: ids cost nothing. If none is free, a peer without a slot
 * takes one from a peer that reads slowly, left a payload half read, or has the most: otherwise registered peers that read nothing could
 * keep a solver's rollouts from all evaluators.
 */
export function createPlaces(
  { streams, streamsPerPeer, minBytesPerSecond }: PlaceLimits,
  isRegistered: (peerId: string) => boolean,
  clock: Clock,
): Places {
  const held = new Set<Held>()
  const leftAtMs = new Map<string, number>()
  const leavesOf = createPeerBuckets(LEFT_PER_SECOND, LEFT_AT_ONCE, clock)
  const countOf = (peer: string) => [...held].filter(one => one.peer === peer).length

  function isSlow({ peer, sinceMs, bytes }: Held): boolean {
    const nowMs = clock.nowMs()
    const heldMs = nowMs - sinceMs
    const isBelowPace = heldMs >= GRACE_MS && bytes * 1000 < minBytesPerSecond * heldMs
    return isBelowPace || nowMs - (leftAtMs.get(peer) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS
  }
  /** @returns whether there is a place now. */
  function makeWay(among: readonly Held[], mine: number): boolean {
    const gone = among.find(isSlow) ?? among.find(({ peer }) => countOf(peer) > Math.max(FAIR_STREAMS, mine + 1))
    if (gone === undefined) return false
    held.delete(gone)
    gone.ended.abort(new StreamError('aborted', 'the place went to another peer'))
    return true
  }
  function remember(peer: string): void {
    leavesOf(peer).takeMs(1)
    leftAtMs.delete(peer)
    leftAtMs.set(peer, clock.nowMs())
    const [oldest] = leftAtMs.keys()
    if (leftAtMs.size > MAX_REMEMBERED && oldest !== undefined) leftAtMs.delete(oldest)
  }

  return {
    enter(peer) {
      const mine = countOf(peer)
      if (mine >= streamsPerPeer || leavesOf(peer).takeMs(0) > 0) return null
      const ofStrangers = () => [...held].filter(one => !isRegistered(one.peer))
      const isStranger = !isRegistered(peer)
      if (isStranger && ofStrangers().length >= streams / 2 && !makeWay(ofStrangers(), mine)) return null
      if (held.size >= streams && !makeWay(isStranger ? ofStrangers() : [...held], mine)) return null
      const one: Held = { peer, sinceMs: clock.nowMs(), bytes: 0, ended: new AbortController() }
      held.add(one)
      return {
        signal: one.ended.signal,
        took(bytes) {
          one.bytes += bytes
        },
        leave(isWhole) {
          if (!isWhole && !one.ended.signal.aborted) remember(peer)
          held.delete(one)
        },
      }
    },
  }
}
