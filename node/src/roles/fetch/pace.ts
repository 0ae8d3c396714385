import type { Clock } from '#core/clock.ts'

/** Minimum speed of a transfer. */
export type Pace = {
  /** Time from the request to the first bytes, for the connection and the other side's disk; at least a window. */
  graceMs: number
  /** Only bytes of the last so many ms count, so that a fast start does not permit a pause later. */
  windowMs: number
  minBytesPerSecond: number
}

/** The longest time that a payload of a given size can take at the minimum pace. */
export function longestMs({ graceMs, windowMs, minBytesPerSecond }: Pace, bytes: number): number {
  return graceMs + windowMs + (bytes / minBytesPerSecond) * 1000
}

/**
 * Watches a transfer until it falls below the pace. Rejects with the signal's reason when that aborts first.
 *
 * @param received - bytes so far.
 */
export async function belowPace(
  { graceMs, windowMs, minBytesPerSecond }: Pace,
  received: () => number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const due = (minBytesPerSecond * windowMs) / 1000
  await clock.sleep(graceMs - windowMs, signal)
  for (let before = received(); ; before = received()) {
    await clock.sleep(windowMs, signal)
    // After a delay of this process, received bytes are read only after its timers.
    await new Promise(resolve => setImmediate(resolve))
    if (received() - before < due) return
  }
}
