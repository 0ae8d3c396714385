import { TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { SettlementOutcome } from '#chain/votes/readSettlements.ts'

/** Fewest votes that decide: more than half of the seats, and never fewer than 2. */
function quorumOf(seats: number): number {
  return Math.max(2, Math.floor(seats / 2) + 1)
}

/** The lower middle of the scores, of which there is one at least. */
function lowerMedian(scores: readonly number[]): number {
  const sorted = [...scores].sort((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1] as number
}

export type VoteVerdict = { outcome: SettlementOutcome; scoreMilli: number; votes: number }

/**
 * What a committee's votes on one peer come to.
 *
 * @param cast - 0 to 1000, or `UNAVAILABLE`; those of the peer's own account left out.
 */
export function voteVerdict(cast: readonly number[], seats: number): VoteVerdict {
  const scores = cast.filter(score => score !== UNAVAILABLE)
  const votes = cast.length
  if (votes < quorumOf(seats)) return { outcome: 'no quorum', scoreMilli: 0, votes }
  if ((votes - scores.length) * 2 > votes) return { outcome: 'unavailable', scoreMilli: 0, votes }
  return { outcome: 'scored', scoreMilli: lowerMedian(scores), votes }
}

/**
 * What stands after the verdicts of a jury.
 *
 * @param drawn - seats of the jury.
 * @param standingMilli - what stood when it was appealed.
 */
export function appealVerdict(cast: readonly number[], drawn: number, standingMilli: number): number {
  const scores = cast.filter(score => score !== UNAVAILABLE)
  if (cast.length < quorumOf(drawn) || cast.length > 2 * scores.length) return standingMilli
  const verdict = lowerMedian(scores)
  return Math.abs(verdict - standingMilli) > TOLERANCE_MILLI ? verdict : standingMilli
}
