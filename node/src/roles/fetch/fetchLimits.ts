import type { Pace } from './pace.ts'

export type FetchLimits = {
  /** Concurrent fetches. */
  parallel: number
  /** Concurrent fetches of policies: each is in memory as a whole while it arrives. */
  policies: number
  /** Concurrent fetches from one holder: fewer than it serves, so that an honest peer is never `busy` because of us. */
  perHolder: number
  /** Holders asked in addition to the author. */
  others: number
  /** Retries of busy holders, and the mean wait before the first; each further one doubles it. */
  busyRetries: number
  busyWaitMs: number
  /** Bytes of payloads that wait in memory for their turn, because the disk did not take them. */
  heldBytes: number
  pace: Pace
}

/**
 * A peer that sends next to nothing holds a slot for 5 s. An honest one needs 16 KB/s, and 16 at once need 2 Mbit/s of our own bandwidth.
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
