import type { Scorer } from '#model/scoring/score.ts'

/** A scorer that is opened by its first use and disposed of by `release`: its session takes as much memory as the one that generates. */
export interface HeldScorer {
  /** @throws what opening it throws; the next use tries again. */
  use(): Promise<Scorer>
  release(): Promise<void>
}

/** @param open - opens a scorer of the policy as it is now. */
export function createHeldScorer(open: () => Promise<Scorer>): HeldScorer {
  let held: Scorer | undefined
  return {
    async use() {
      held ??= await open()
      return held
    },
    async release() {
      const released = held
      held = undefined
      await released?.dispose()
    },
  }
}
