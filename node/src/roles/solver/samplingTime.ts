import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { PeerNode } from '../peerNode.ts'

const LAST = 'last sampling ms'

type SamplingTime = {
  /**
   * Whether the answers of a round can still be committed in it: what the last sampling took has to fit into the rest of the round.
   *
   * @param beganMs - the node's clock when `time` was read.
   */
  fits(time: RoundTime, beganMs: number): boolean
  /** Samples and commits, and notes how long it took. */
  measure<Answers>(sample: () => Promise<Answers>): Promise<Answers>
}

/**
 * Leaves out a round that was begun too late to commit its answers: they would be worth nothing, and the next round would begin late too.
 *
 * After a round that was left out, or without a measurement, a round is played. So a single slow sampling, as on a machine that was suspended, costs
 * one round.
 */
export function createSamplingTime({
  clock,
  journal,
  logger,
}: Pick<PeerNode, 'clock' | 'journal' | 'logger'>): SamplingTime {
  return {
    fits({ round, endsAtSec, nowSec }, beganMs) {
      const leftMs = (endsAtSec - nowSec) * 1000 - (clock.nowMs() - beganMs)
      const lastMs = journal.getState(LAST)
      if (typeof lastMs !== 'number' || lastMs <= leftMs) return true
      journal.setState(LAST, null)
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
