import type { TakenHead } from './judgeHead.ts'

/** A first look at a chain, before anything is learned of it. */
const MAX_PACE_MS = 12_000
/** Heads that the pace is learned from, at least and at most. */
const LEARNED_FROM = 5
const REMEMBERED = 16
/** A look comes this part of the pace earlier than the last one did: else it would follow blocks ever later. */
const EARLIER = 1 / 32
/** After a look that came too early: this part of the pace, then twice as much. */
const AGAIN = 1 / 8

export type BlockPace = {
  /** Takes the head that a look found. */
  seen(head: TakenHead): void
  /** Until the next look is due. */
  waitMs(nowMs: number): number
  /** Time between blocks; null until it is learned. */
  blockMs(): number | null
}

/**
 * When to look for the next block: about once a block, shortly after it comes, whatever the time between blocks.
 *
 * It is learned from blocks whose times on the chain and here agree, so that a chain whose clock is set teaches nothing.
 *
 * @param unlearnedMs - between looks until it is learned, and where blocks have no pace.
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
    // The mean: most looks come a little earlier than the one before, which a median would take for the pace.
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
