import type { Clock } from '#core/clock.ts'

/** Time for which an answer is given again: many readers cost no more than one. */
const FRESH_MS = 3_000

/** A read whose result is kept for a few seconds, and which concurrent callers share. A failure is not kept. */
export function createKeptAnswer<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { value: Promise<T>; readAtMs: number } | null = null
  return () => {
    // Also after a clock was set back.
    if (kept !== null && Math.abs(clock.nowMs() - kept.readAtMs) < FRESH_MS) return kept.value
    const made = { value: read(), readAtMs: clock.nowMs() }
    kept = made
    made.value.catch(() => {
      if (kept === made) kept = null
    })
    return made.value
  }
}
