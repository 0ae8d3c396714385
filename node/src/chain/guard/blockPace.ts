import type { TakenHead } from './judgeHead.ts'

/** Upper bound of the pace: a slower chain is polled this often. */
const MAX_PACE_MS = 12_000
/** Fewest and most heads that the pace is computed from. */
const LEARNED_FROM = 5
const REMEMBERED = 16
/** Each poll comes earlier than the last one by this fraction of the pace. Otherwise polls would drift ever later behind blocks. */
const EARLIER = 1 / 32
/** Wait after a poll that came too early, as a fraction of the pace. It doubles each time. */
const AGAIN = 1 / 8

export type BlockPace = {
  /** Takes the head that a poll found. */
  seen(head: TakenHead): void
  /** Time until the next poll is due. */
  waitMs(nowMs: number): number
  /** Time between blocks; null until it is known. */
  blockMs(): number | null
}

/**
 * When to poll for the next block: about once a block, shortly after it is mined, whatever the time between blocks.
 *
 * The pace is computed from blocks whose times on the chain and here agree. A chain with a manipulated clock has no pace.
 *
 * @param unlearnedMs - time between polls until the pace is known, and on chains without one.
 */
export function createBlockPace(unlearnedMs: number): BlockPace {
  const steps: number[] = []
  let last: TakenHead | null = null
  let foundMs = 0
  let misses = 0

  function learn(before: TakenHead, head: TakenHead): void {
    const blocks = head.number - before.number
    const hereMs = head.atMs - before.atMs
    const isSteady = Math.abs((head.timeSec - before.timeSec) * 1000 - hereMs) < Math.max(1_500, hereMs / 2)
    if (blocks <= 0 || !isSteady) return void steps.splice(0)
    steps.push(hereMs / blocks)
    if (steps.length > REMEMBERED) steps.shift()
  }

  function blockMs(): number | null {
    if (steps.length < LEARNED_FROM) return null
    if (Math.max(...steps) > 3 * Math.min(...steps)) return null
    // The mean, not the median: most polls come a little earlier than the one before, and a median would shrink with them.
    return Math.min(MAX_PACE_MS, steps.reduce((sum, step) => sum + step, 0) / steps.length)
  }

  return {
    blockMs,
    seen(head) {
      const isNew = last === null || head.hash !== last.hash
      if (!isNew) {
        misses += 1
        foundMs = head.atMs
        return
      }
      if (last !== null) learn(last, head)
      last = head
      foundMs = head.atMs
      misses = 0
    },
    waitMs(nowMs) {
      const pace = blockMs()
      if (pace === null) return unlearnedMs
      const part = misses === 0 ? 1 - EARLIER : Math.min(1, AGAIN * 2 ** (misses - 1))
      return Math.max(0, foundMs + pace * part - nowMs)
    },
  }
}
