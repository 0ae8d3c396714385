import type { Pace } from './pace.ts'

export type FetchLimits = {
  /** Payloads under way at a time. */
  parallel: number
  /** Of those policies: each is held in memory whole while it comes. */
  policies: number
  /** Of those from one holder: below what it serves, so that an honest peer is never `busy` because of us. */
  perHolder: number
  /** Holders asked beyond the author. */
  others: number
  /** Times that holders which were busy are asked again, and the mean wait before the first; each further one doubles it. */
  busyRetries: number
  busyWaitMs: number
  /** Bytes of payloads that the disk did not take and that wait for their turn to be used. */
  heldBytes: number
  pace: Pace
}

/**
 * A peer that sends next to nothing holds a place for 5 s. An honest one needs 16 KB/s, and 16 of them at once 2 Mbit/s
 * of our own line.
 */
export const fetchLimits: FetchLimits = {
  parallel: 16,
  policies: 4,
  perHolder: 2,
  others: 8,
  busyRetries: 6,
  busyWaitMs: 500,
  heldBytes: 64 << 20,
  pace: { graceMs: 5_000, windowMs: 2_000, minBytesPerSecond: 16 << 10 },
}
