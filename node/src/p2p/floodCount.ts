import type { Clock } from '#core/clock.ts'
import type { PeerGuard } from './peerGuard.ts'
import { createPeerBuckets } from './tokenBucket.ts'

/** Useless messages that a peer may send at once, and one more each second; an honest one with a late view sends a few. */
const BURST = 60
const FLOOD_POINTS = 5

/**
 * Counts messages that were ignored although their author itself sent them. gossipsub does not score those; beyond a
 * burst they are held against the peer, and seventeen more make a ban.
 */
export function createFloodCount(guard: PeerGuard, clock: Clock): (peer: string, reason: string) => void {
  const bucketOf = createPeerBuckets(1, BURST, clock)
  return (peer, reason) => {
    if (!bucketOf(peer).tryTake(1)) guard.penalise(peer, FLOOD_POINTS, reason)
  }
}
