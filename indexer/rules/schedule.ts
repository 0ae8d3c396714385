import { FINALITY_ROUNDS } from '@waggle/deployments/protocol'
/** Rounds from `fromRound` on last `roundSeconds`, the first of them starting at `startsAtSec`. */
export interface Span {
  fromRound: number
  startsAtSec: number
  roundSeconds: number
}

/** An announcement voids those made earlier for the same round or a later one. */
export function announce<T extends { fromRound: number }>(spans: readonly T[], span: T): T[] {
  return [...spans.filter(({ fromRound }) => fromRound < span.fromRound), span]
}

/** The last span that begins at or before the round. */
export function inForce<T extends { fromRound: number }>(spans: readonly T[], round: number): T {
  const span = spans.findLast(({ fromRound }) => fromRound <= round)
  if (span === undefined) throw new Error(`nothing was announced for round ${round}`)
  return span
}

/** Unix time, seconds, at which a round starts. */
export function startOf(schedule: readonly Span[], round: number): number {
  const { fromRound, startsAtSec, roundSeconds } = inForce(schedule, round)
  return startsAtSec + (round - fromRound) * roundSeconds
}

/**
 * The times of a round, seconds.
 *
 * `finalAtSec` cannot change once the round is settled: that happens in round r + FINALITY_ROUNDS, and the start of the
 * round after it was fixed when that one began.
 */
export function timesOf(schedule: readonly Span[], round: number) {
  return {
    startsAtSec: startOf(schedule, round),
    endsAtSec: startOf(schedule, round + 1),
    finalAtSec: startOf(schedule, round + FINALITY_ROUNDS + 1),
  }
}
