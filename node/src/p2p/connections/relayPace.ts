import type { Clock } from '#core/clock.ts'
import { originOf } from '../membership/origin.ts'
import { createPeerBuckets } from '../transfer/tokenBucket.ts'

/**
 * Connections that a relay makes, a second and at once: for a member, and for all strangers of a subnet. A gateway, which does not register,
 * asks dozens of peers behind routers for their payloads when a round ends, and then has an hour for each connection.
 */
const [MEMBER, STRANGERS] = [
  { perSecond: 4, atOnce: 64 },
  { perSecond: 1, atOnce: 32 },
]

/**
 * Whether a relay makes another connection for a peer. Whoever comes through a relay comes from the relay's host, so that the peer at the other
 * end cannot tell a crowd from others: it is held up here.
 *
 * @param isMember - whether a peer is registered.
 */
export function createRelayPace(isMember: (peerId: string) => boolean, clock: Clock) {
  const memberOf = createPeerBuckets(MEMBER.perSecond, MEMBER.atOnce, clock)
  const strangersOf = createPeerBuckets(STRANGERS.perSecond, STRANGERS.atOnce, clock)
  /** @param address - that it is connected from. */
  return (peerId: string, address: string): boolean => {
    const origin = originOf(address)
    if (origin?.isLoopback) return true
    const bucket = isMember(peerId) ? memberOf(peerId) : strangersOf(origin?.subnet ?? address)
    return bucket.tryTake(1)
  }
}
