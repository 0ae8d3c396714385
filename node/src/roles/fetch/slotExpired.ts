import type { Clock } from '#core/clock.ts'
import type { KeyedLimit } from '#core/keyedLimit.ts'

type Slots = {
  of: KeyedLimit
  count: number
  clock: Clock
  /** Time between two polls. */
  everyMs: number
  roundMs: () => number
}

/** Resolves when others wait for a slot, and this one has been held for longer than an equal part of half a round. Rejects with the signal. */
export async function slotExpired({ of, count, clock, everyMs, roundMs }: Slots, signal: AbortSignal): Promise<void> {
  const fromMs = clock.nowMs()
  for (;;) {
    await clock.sleep(everyMs, signal)
    const waiting = of.waiting('')
    const shareMs = (roundMs() / 2) * (count / (count + waiting))
    if (waiting > 0 && clock.nowMs() - fromMs > shareMs) return
  }
}
