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

/**
 * A jury's verdict; null if too few of its seats voted, most of those had no bundle to score, or it differs from the current score and no
 * majority of all seats lies on that side. Silent seats count for the current score.
 */
export function juryVerdict(cast: readonly number[], drawn: number, standingMilli: number): number | null {
  const scores = cast.filter(score => score !== UNAVAILABLE)
  if (cast.length < quorumOf(drawn) || cast.length > 2 * scores.length) return null
  const verdict = lowerMedian(scores)
  if (!isApart(verdict, standingMilli)) return verdict
  const along = scores.filter(
    score => isApart(score, standingMilli) && score < standingMilli === verdict < standingMilli,
  )
  return along.length >= quorumOf(drawn) ? verdict : null
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
  const isTaken = isTakable && cast.filter(score => score === UNAVAILABLE).length >= quorumOf(drawn)
  const verdict = isTaken ? 0 : juryVerdict(cast, drawn, standingMilli)
  return verdict !== null && isApart(verdict, standingMilli) ? verdict : standingMilli
}

function isApart(a: number, b: number): boolean {
  return Math.abs(a - b) > TOLERANCE_MILLI
}
