import type { ConnectionGater, PeerId } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'

const BAN_MS = 10 * 60_000
const PENALTY_HALF_LIFE_MS = 10 * 60_000
/** Bounds the memory that an attacker with many identities can fill. */
const MAX_TRACKED = 10_000

export type PeerGuard = {
  /** Adds penalty points to a peer; they count in its gossip score and halve every ten minutes. */
  penalise(peerId: string, points: number, reason: string): void
  /** Current penalty points of a peer, >= 0. */
  penaltyOf(peerId: string): number
  /** Reason of a peer's last penalty; null without one. */
  lastReason(peerId: string): string | null
  /** Refuses connections with the peer, in both directions, for ten minutes. */
  ban(peerId: string, reason: string): void
  isBanned(peerId: string): boolean
  readonly gater: ConnectionGater
}

/**
 * Penalties and bans of peers, outside gossipsub.
 *
 * gossipsub forgets a peer's score when it reconnects, so a ban, and penalties of our own, must live here.
 */
export function createPeerGuard(clock: Clock, logger: Logger): PeerGuard {
  const penalties = new Map<string, { points: number; atMs: number; reason: string }>()
  const bannedUntilMs = new Map<string, number>()

  const penaltyOf = (peerId: string): number => {
    const held = penalties.get(peerId)
    if (held === undefined) return 0
    // The clock may be set back.
    const passedMs = Math.max(0, clock.nowMs() - held.atMs)
    return held.points * 0.5 ** (passedMs / PENALTY_HALF_LIFE_MS)
  }
  const isBanned = (peerId: string): boolean => {
    const until = bannedUntilMs.get(peerId)
    if (until === undefined) return false
    if (until > clock.nowMs()) return true
    bannedUntilMs.delete(peerId)
    return false
  }
  const deny = (peerId: PeerId): boolean => isBanned(peerId.toString())

  return {
    penaltyOf,
    lastReason: peerId => penalties.get(peerId)?.reason ?? null,
    isBanned,
    penalise(peerId, points, reason) {
      logger.debug('peer penalised', { peer: peerId, points, reason })
      put(penalties, peerId, { points: penaltyOf(peerId) + points, atMs: clock.nowMs(), reason })
    },
    ban(peerId, reason) {
      logger.warn('peer banned for ten minutes', { peer: peerId, reason })
      put(bannedUntilMs, peerId, clock.nowMs() + BAN_MS)
    },
    gater: { denyDialPeer: deny, denyInboundEncryptedConnection: deny, denyOutboundEncryptedConnection: deny },
  }
}

/** Sets a key as the youngest, and drops the oldest where there are too many. */
function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next()
  if (map.size > MAX_TRACKED && oldest.done === false) map.delete(oldest.value)
}
