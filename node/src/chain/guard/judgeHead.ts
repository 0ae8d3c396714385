import type { Head } from './answers.ts'

/** A head that was taken, and when. */
export type TakenHead = Head & { atMs: number }

/** Headers may be ahead of the time that passed here by so much: clocks differ, and chains catch up. */
const SLACK_SEC = 120
/** Blocks a second that a chain makes at most: the fastest in use make 10. */
const MAX_BLOCKS_PER_SEC = 20
/** Blocks that a reorganisation, or a server that lags, takes back. */
const MAX_FALL_BLOCKS = 64

/**
 * Whether a chain can have come from one head to another in the time that has passed here.
 *
 * Time may go as far as this machine's own clock, or as the seconds that passed on it, whichever allows more: one of them is
 * right even after a suspension, or where the clock was set.
 *
 * @param before - the last head that was taken; null at the start, where any is.
 * @returns what is wrong with it; null if nothing is.
 */
export function judgeHead(before: TakenHead | null, head: Head, nowMs: number): string | null {
  if (before === null) return null
  const passedSec = Math.max(0, nowMs - before.atMs) / 1000
  const latestSec = Math.max(before.timeSec + passedSec, nowMs / 1000) + SLACK_SEC
  if (head.timeSec > latestSec) return `its time jumped by ${head.timeSec - before.timeSec} s`
  if (head.number > before.number + (passedSec + SLACK_SEC) * MAX_BLOCKS_PER_SEC)
    return `its height jumped by ${head.number - before.number} blocks`
  if (head.number < before.number - MAX_FALL_BLOCKS) return `its height fell by ${before.number - head.number} blocks`
  if (head.timeSec < before.timeSec - SLACK_SEC - passedSec)
    return `its time fell by ${before.timeSec - head.timeSec} s`
  return null
}
