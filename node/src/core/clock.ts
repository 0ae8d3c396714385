/** Injected time, controlled by tests. */
export type Clock = {
  /** Unix time, milliseconds. The system's never falls: waits and ages are computed from it. */
  nowMs(): number
  /** Resolves after `ms`, 25 days at most; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longest timer of Node, 25 days: a longer one, as for a round whose end is unknown, would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Speed of {@link networkClock} while it is ahead of the machine's clock. */
const AHEAD_SPEED = 0.9

/**
 * This machine's time. Once its clock is set back, time continues from where it was: a wait of seconds would otherwise last for as long as the
 * clock was set back.
 */
export const systemClock: Clock = {
  nowMs: risingTime(1),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const timer = setTimeout(finish, Math.min(ms, MAX_TIMER_MS))
      signal?.addEventListener('abort', abort, { once: true })
      function finish(): void {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      function abort(): void {
        clearTimeout(timer)
        reject(signal?.reason)
      }
    }),
}

/**
 * The time by which messages to other peers are dated, and theirs are checked. Once the machine's clock is set back, it runs a tenth slower until that
 * has caught up: other peers ignore what is signed ahead of their time. What compares this machine's time with the chain's takes {@link systemClock}:
 * blocks would seem to come too fast.
 */
export const networkClock: Clock = { ...systemClock, nowMs: risingTime(AHEAD_SPEED) }

/** @param aheadSpeed - speed of time while it is ahead of the machine's clock. */
function risingTime(aheadSpeed: number): () => number {
  // The last reading at which the wall clock was not behind. Time is counted from there: sums of rounded steps would lose what is rounded off.
  let [baseMs, baseSteadyMs] = [Date.now(), performance.now()]
  return () => {
    // The steady clock stands still while the machine is suspended, which the wall clock does not.
    const [wallMs, steadyMs] = [Date.now(), performance.now()]
    const risenMs = baseMs + (steadyMs - baseSteadyMs) * aheadSpeed
    if (wallMs < risenMs) return Math.floor(risenMs)
    baseMs = wallMs
    baseSteadyMs = steadyMs
    return wallMs
  }
}

type ManualClock = Clock & {
  /** Advances time and wakes due sleepers in order. */
  advance(ms: number): void
  /** Number of sleepers: lets a test wait until the code under test is idle. */
  sleepers(): number
}

export function createManualClock(startMs = 0): ManualClock {
  let now = startMs
  const waiting = new Set<{ atMs: number; wake: () => void }>()
  return {
    nowMs: () => now,
    sleepers: () => waiting.size,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (ms <= 0) return resolve()
        const abort = () => waiting.delete(entry) && reject(signal?.reason)
        const wake = () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const entry = { atMs: now + ms, wake }
        waiting.add(entry)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    advance(ms) {
      now += ms
      const due = [...waiting].filter(entry => entry.atMs <= now).sort((a, b) => a.atMs - b.atMs)
      for (const entry of due) {
        waiting.delete(entry)
        entry.wake()
      }
    },
  }
}
