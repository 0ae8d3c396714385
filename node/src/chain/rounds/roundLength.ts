import type { RoundTime } from './roundClock.ts'

/** Longest assumed round, seconds: a round that is ended by hand has an end that nobody knows. */
const MAX_ROUND_SEC = 3_600

/** Length of a round for plans within it, seconds: at most an hour. */
export function roundLengthSec({ startsAtSec, endsAtSec }: Pick<RoundTime, 'startsAtSec' | 'endsAtSec'>): number {
  return Math.min(MAX_ROUND_SEC, endsAtSec - startsAtSec)
}
