import type { RoundTime } from '#chain/roundClock.ts'
import type { PeerNode } from './peerNode.ts'

/** A node that fails in so many rounds on end has a fault that waiting does not mend. */
const MAX_FAILURES_ON_END = 3

/** Rounds whose bundles and facts are kept: what is still voted on, and some history for people to look at. */
const ROUNDS_KEPT = 200

/**
 * Calls `work` once in every round, from the current one on, until the node is stopped.
 *
 * Rounds that passed while it was away, or while `work` took too long, are skipped in one step: a missed round costs nothing
 * but the round.
 */
export async function everyRound(node: PeerNode, work: (time: RoundTime) => Promise<void>): Promise<void> {
  const { chain, journal, logger, signal } = node
  let next = 0
  let failures = 0
  const kept = journal.getState('round')
  let before = typeof kept === 'number' ? kept : undefined
  while (!signal.aborted) {
    try {
      await node.disk.untilWritable(signal)
      const time = await chain.rounds.waitFor(next, signal)
      node.setRound(time.round)
      if (before !== undefined && time.round > before + 1) {
        journal.note('rounds passed meanwhile', { from: before + 1, to: time.round - 1 })
        logger.info('rounds passed meanwhile; going on with the current one', { from: before + 1, to: time.round - 1 })
      }
      before = time.round
      await work(time).then(
        () => {
          failures = 0
        },
        error => {
          if (signal.aborted || node.disk.isFull(error)) throw error
          failures += 1
          logger.error('this round failed', { round: time.round, error })
          if (failures >= MAX_FAILURES_ON_END) throw error
        },
      )
      journal.prune(time.round - ROUNDS_KEPT)
      await node.bundles.pruneBefore(time.round - ROUNDS_KEPT)
      journal.setState('round', time.round)
      next = time.round + 1
    } catch (error) {
      if (signal.aborted) return
      // The round is not over: it is taken up again once there is space.
      if (!node.disk.isFull(error)) throw error
    }
  }
}
