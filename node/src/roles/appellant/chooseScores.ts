import { SHARD_PEERS, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { ChainReads } from '#chain/reads.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { type Ballot, FEWEST_MISSED, isClearlyOff, type Settled } from './weighAppeal.ts'

/** The settlements of a round so far. */
type SettledRound = {
  ownKey: PeerKey
  commitments: readonly RolloutCommitment[]
  settlements: readonly Settlement[]
  votes: readonly RevealedVotes[]
}

export type ChosenScore = {
  peerKey: PeerKey
  settled: Settled
  /** Seats of the committee that voted `unavailable`. */
  missedBy: readonly PeerKey[]
}

/**
 * The settled scores to read again: this peer's own; those with which a seat of the committee disagrees; and one of the others, since a
 * committee may agree without checking.
 *
 * @param lot - 0 to 1: draws the other one; null for none.
 */
export function chooseScores(round: SettledRound, lot: number | null): ChosenScore[] {
  const { ownKey, settlements } = round
  const rulable = settlements.filter(({ outcome }) => appealable.has(outcome))
  const own = rulable.filter(({ peerKey }) => peerKey === ownKey)
  const others = rulable.filter(({ peerKey }) => peerKey !== ownKey)
  const disputed = others.filter(settlement => isDisputed(round, settlement))
  const agreed = others.filter(({ scoreMilli }) => scoreMilli > 0).filter(one => !disputed.includes(one))
  const drawn = lot === null ? [] : agreed.slice(Math.floor(lot * agreed.length)).slice(0, 1)
  const points = settlements.reduce((sum, { scoreMilli }) => sum + scoreMilli, 0)
  // Scores that are not settled yet count as the mean of those that are.
  const totalMilli = (points * round.commitments.length) / Math.max(1, settlements.length)
  return [...own, ...disputed, ...drawn].map(({ peerKey, scoreMilli }) => ({
    peerKey,
    settled: {
      isOwn: peerKey === ownKey,
      settledMilli: scoreMilli,
      gainingMilli: peerKey === ownKey ? scoreMilli : totalMilli - scoreMilli,
      totalMilli,
      votes: votesOn(round, peerKey),
    },
    missedBy: missedBy(round, peerKey),
  }))
}

const appealable = new Set<Settlement['outcome']>(['scored', 'unavailable', 'no quorum'])

/** Whether a seat's score clearly differs from the settled one, or several seats voted `unavailable`. */
function isDisputed(round: SettledRound, { peerKey, scoreMilli }: Settlement): boolean {
  const isMissing = missedBy(round, peerKey).length >= FEWEST_MISSED && isClearlyOff(scoreMilli, 0)
  return isMissing || votesOn(round, peerKey).some(({ vote }) => isClearlyOff(scoreMilli, vote))
}

/** The scores that seats of its committee gave a peer. */
function votesOn(round: SettledRound, peerKey: PeerKey): Ballot[] {
  return ballotsOn(round, peerKey).filter(({ vote }) => vote !== UNAVAILABLE)
}

/** The seats of its committee that voted `unavailable` on a peer. */
export function missedBy(round: Pick<SettledRound, 'commitments' | 'votes'>, peerKey: PeerKey): PeerKey[] {
  return ballotsOn(round, peerKey).flatMap(({ seatKey, vote }) => (vote === UNAVAILABLE ? [seatKey] : []))
}

/** How many of these seats are of another account than the peer's: only their votes let a jury remove a score (ADR 0223). */
export async function countOthers(
  { readAccountOf }: Pick<ChainReads, 'readAccountOf'>,
  peerKey: PeerKey,
  seats: readonly PeerKey[],
): Promise<number> {
  const [own, ...accounts] = await Promise.all([peerKey, ...seats].map(key => readAccountOf(key)))
  return accounts.filter(account => account !== own).length
}

/** The votes of its committee on a peer, with the seats that cast them. */
export function ballotsOn(
  { commitments, votes }: Pick<SettledRound, 'commitments' | 'votes'>,
  peerKey: PeerKey,
): Ballot[] {
  const ordinal = commitments.find(one => one.peerKey === peerKey)?.ordinal
  if (ordinal === undefined) return []
  const [shard, place] = [Math.floor(ordinal / SHARD_PEERS), ordinal % SHARD_PEERS]
  return votes
    .filter(one => one.shard === shard)
    .map(({ evaluatorKey, scoresMilli }) => ({ seatKey: evaluatorKey, vote: scoresMilli[place] ?? UNAVAILABLE }))
}
