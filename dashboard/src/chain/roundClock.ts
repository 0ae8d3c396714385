/** The chain's time, or why it is unknown. Times are Unix seconds of the chain's clock. */
export type RoundClock =
  | { state: 'loading' }
  | { state: 'unset' }
  | { state: 'down'; url: string }
  | { state: 'wrongChain'; url: string; expected: number; found: number }
  | { state: 'noContract'; url: string }
  | ({ state: 'waiting'; startsAtSec: number } & ChainTime)
  | ({ state: 'running' } & RunningRound & ChainTime)

export interface RunningRound {
  round: number
  startsAtSec: number
  endsAtSec: number
  /** A round r is final once the current one is past r + this. */
  finalityRounds: number
}

interface ChainTime {
  /** Time of the newest block. */
  blockSec: number
  /** Chain time minus this computer's. */
  skewSec: number
}

/**
 * A block is seen up to one poll late, never early, so the larger of two samples is more accurate; one far below means that a clock was
 * adjusted.
 */
const TOLERATED_LAG_SEC = 5

export function chainSkewSec(previous: number | null, sample: number): number {
  return previous === null || previous - sample > TOLERATED_LAG_SEC ? sample : Math.max(previous, sample)
}

/** Whole seconds until `atSec` on the chain's clock, never below 0. */
export function secondsUntil(atSec: number, skewSec: number, nowMs: number): number {
  return Math.max(0, Math.ceil(atSec - skewSec - nowMs / 1000))
}
