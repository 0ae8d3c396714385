import { TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { SettlementOutcome } from '#chain/votes/readSettlements.ts'

/** Fewest votes that decide: more than half of the seats, and never fewer than 2. */
function quorumOf(seats: number): number {
  return Math.max(2, Math.floor(seats / 2) + 1)
}

/** The lower median of the scores; the list must not be empty. */
function lowerMedian(scores: readonly number[]): number {
  const sorted = [...scores].sort((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1] as number
}

export type VoteVerdict = { outcome: SettlementOutcome; scoreMilli: number; votes: number }

/**
 * Result of a committee's votes on one peer.
 *
 * @param cast - 0 to 1000, or `UNAVAILABLE`, without votes of the peer's own account.
 */
export function voteVerdict(cast: readonly number[], seats: number): VoteVerdict {
  const scores = cast.filter(score => score !== UNAVAILABLE)
  const votes = cast.length
  if (votes < quorumOf(seats)) return { outcome: 'no quorum', scoreMilli: 0, votes }
  if ((votes - scores.length) * 2 > votes) return { outcome: 'unavailable', scoreMilli: 0, votes }
  return { outcome: 'scored', scoreMilli: lowerMedian(scores), votes }
}

/** Whether enough of a jury voted, and at least half of those had a bundle to score. */
export function isVerdict(cast: readonly number[], drawn: number): boolean {
  return cast.length >= quorumOf(drawn) && cast.length <= 2 * cast.filter(score => score !== UNAVAILABLE).length
}

/**
 * The score after the verdicts of a jury.
 *
 * @param drawn - seats of the jury.
 * @param standingMilli - the score when it was appealed.
 * @param isTakable - whether a jury that finds no bundle removes the score, since a seat of the committee found none either.
 */
export function appealVerdict(
  cast: readonly number[],
  drawn: number,
  standingMilli: number,
  isTakable: boolean,
): number {
  if (cast.length < quorumOf(drawn)) return standingMilli
  const isFound = isVerdict(cast, drawn)
  if (!isFound && !isTakable) return standingMilli
  const verdict = isFound ? lowerMedian(cast.filter(score => score !== UNAVAILABLE)) : 0
  return Math.abs(verdict - standingMilli) > TOLERANCE_MILLI ? verdict : standingMilli
}
