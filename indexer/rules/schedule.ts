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

/** `NEVER` of the contract: the start of a round of a manual schedule that has not begun. */
export const NEVER_SEC = 2 ** 40 - 1

/** Unix time, seconds, at which a round starts. */
export function startOf(schedule: readonly Span[], round: number): number {
  const { fromRound, startsAtSec, roundSeconds } = inForce(schedule, round)
  if (roundSeconds === 0 && round > fromRound) return NEVER_SEC
  return startsAtSec + (round - fromRound) * roundSeconds
}

/** The times of a round, seconds. A later announcement changes those that are not over. */
export function timesOf(schedule: readonly Span[], round: number) {
  return {
    startsAtSec: startOf(schedule, round),
    endsAtSec: startOf(schedule, round + 1),
    finalAtSec: startOf(schedule, round + FINALITY_ROUNDS + 1),
  }
}
