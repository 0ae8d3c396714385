import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { PeerNode } from '../peerNode.ts'

const LAST = 'last sampling ms'
const LEFT_OUT = 'round left out'

type SamplingTime = {
  /**
   * Whether a round that was begun late can still be committed in time: what the last sampling took has to fit into the rest of it.
   *
   * @param beganMs - the node's clock when `time` was read.
   */
  fits(time: RoundTime, beganMs: number): boolean
  /** Samples and commits, and notes how long it took. */
  measure<Answers>(sample: () => Promise<Answers>): Promise<Answers>
}

/**
 * Leaves out a round that was begun too late to commit its answers: they would be worth nothing, and the next round would begin late too. Only if
 * the late beginning is the cause: a sampling that hardly fits into a whole round is tried each time.
 *
 * After a round that was left out, or without a measurement, a round is played.
 */
export function createSamplingTime({
  clock,
  journal,
  logger,
}: Pick<PeerNode, 'clock' | 'journal' | 'logger'>): SamplingTime {
  return {
    fits({ round, startsAtSec, endsAtSec, nowSec }, beganMs) {
      const leftOut = journal.getState(LEFT_OUT)
      if (leftOut === round) return false
      const leftMs = (endsAtSec - nowSec) * 1000 - (clock.nowMs() - beganMs)
      const wholeMs = leftMs + (nowSec - startsAtSec) * 1000
      const lastMs = journal.getState(LAST)
      if (leftOut === round - 1 || typeof lastMs !== 'number' || lastMs <= leftMs || lastMs > wholeMs) return true
      journal.setState(LEFT_OUT, round)
      logger.warn('this round is left out: the last sampling took longer than what is left of it', {
        ...{ round, lastSec: Math.round(lastMs / 1000), leftSec: Math.round(leftMs / 1000) },
      })
      return false
    },
    async measure(sample) {
      const beganMs = clock.nowMs()
      const answers = await sample()
      journal.setState(LAST, clock.nowMs() - beganMs)
      return answers
    },
  }
}
