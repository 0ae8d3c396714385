import type { BeaconState } from '#chain/rounds/beacon.ts'
import type { PeerRound } from '#chain/rounds/readPeerRound.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey, PolicyHash } from '#core/hashes.ts'
import type { PeerScore } from '#core/payloads/payloads.ts'

/** A seat of the committee that scores a peer. */
export type Seat = {
  evaluatorKey: PeerKey
  /** Its vote on the peer: 0 to 1000, or `UNAVAILABLE`; null if it revealed no ballot. */
  voteMilli: number | null
  /** Whether it sealed one. */
  isSealed: boolean
  /** It has the account of the peer that it scores, so that its vote does not count. */
  isOwn: boolean
  /** The peer's entry in its score sheet; null if that is not kept here. */
  scored: PeerScore | null
}

/** A shard that a peer was drawn to score. */
export type Duty = { shard: number; isSealed: boolean; isRevealed: boolean }

/** Everything known about a peer's part in a round. */
export type Work = {
  round: number
  /** Current round of the chain. */
  currentRound: number
  /** First round that its key counts in. */
  countsFrom: number
  /** Beacons of the round, and of the one before, from which its seeds follow. */
  beacons: { own: BeaconState; before: BeaconState }
  commitment: RolloutCommitment | null
  /** The policy that it had named before the round; null for none. */
  namedPolicy: PolicyHash | null
  /** Seats of its shard, once the beacon has drawn them. */
  seats: readonly Seat[]
  settlement: Settlement | null
  duties: readonly Duty[]
  /** Reason why sampling was refuted, as the folder's node found; null if it was not. */
  refuted: string | null
  told: PeerRound
}
