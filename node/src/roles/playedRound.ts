import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { Clock } from '#core/clock.ts'

/** A round that a role plays, with when it ends by the chain's time and by this machine's clock: these may differ by hours. */
export type PlayedRound = Pick<RoundTime, 'round' | 'startsAtSec' | 'endsAtSec'> & { endsAtMs: number }

/** @param time - was read just now. */
export function playedRound({ nowSec, ...time }: RoundTime, clock: Pick<Clock, 'nowMs'>): PlayedRound {
  return { ...time, endsAtMs: clock.nowMs() + (time.endsAtSec - nowSec) * 1000 }
}
