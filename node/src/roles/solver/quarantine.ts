import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { Journal } from '#store/journal.ts'
import { ofRules } from '../models/forgetOtherRules.ts'

/** Rounds of quarantine after a peer's groups failed: rare enough for a poisoner, and an honest peer's fault passes. */
export const QUARANTINE_ROUNDS = 20

/** Peers that nothing is learned from for some rounds, kept in the journal until the rules change. */
export type Quarantine = {
  /** Whether a peer is in quarantine in a round. */
  holds(peerKey: PeerKey, round: number): boolean
  /** Puts a peer in quarantine for the rounds after this one. */
  put(peerKey: PeerKey, round: number, reason: string): void
  /** The same for a fault that may be this machine's, such as a worker that died: only if it is the second within as many rounds. */
  suspect(peerKey: PeerKey, round: number, reason: string): void
}

/** The last round of each peer's quarantine, and why. */
type Kept = { [peerKey: string]: { until: number; reason: string } }

/** The last round of each suspect's fault. */
type Suspects = { [peerKey: string]: number }

export function createQuarantine({ journal, logger }: { journal: Journal; logger: Logger }): Quarantine {
  const kept = () => (journal.getState(ofRules.quarantine) ?? {}) as Kept

  function put(peerKey: PeerKey, round: number, reason: string): void {
    const until = round + QUARANTINE_ROUNDS
    const standing = Object.entries(kept()).filter(([, entry]) => entry.until > round)
    journal.setState(ofRules.quarantine, { ...Object.fromEntries(standing), [peerKey]: { until, reason } })
    logger.warn('nothing is learned from this peer for some rounds', { peerKey, until, reason })
  }

  return {
    holds: (peerKey, round) => round <= (kept()[peerKey]?.until ?? Number.NEGATIVE_INFINITY),
    put,
    suspect(peerKey, round, reason) {
      const all = Object.entries((journal.getState(ofRules.suspects) ?? {}) as Suspects)
      const recent = Object.fromEntries(all.filter(([, at]) => at > round - QUARANTINE_ROUNDS))
      const before = recent[peerKey] ?? round
      journal.setState(ofRules.suspects, { ...recent, [peerKey]: round })
      // A round that is learned again has the same fault again.
      if (before < round) put(peerKey, round, reason)
    },
  }
}
