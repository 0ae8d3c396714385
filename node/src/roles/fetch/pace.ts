import type { Clock } from '#core/clock.ts'

/** How fast a payload has to come. */
export type Pace = {
  /** From the request on, for the connection, the disk of the other side, and the first bytes; at least a window. */
  graceMs: number
  /** What came in the last so many ms is what counts: a fast start buys no silence. */
  windowMs: number
  minBytesPerSecond: number
}

/** The longest that a payload of so many bytes can take without falling below the pace. */
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
    // Where this process was held up, bytes lie ready that are read only after its timers.
    await new Promise(resolve => setImmediate(resolve))
    if (received() - before < due) return
  }
}
