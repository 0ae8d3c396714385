import type { Judge } from '#environments/codezero/createJudge.ts'
import type { CheckedGroup } from '../checkRollouts.ts'
import { scoreGroups } from '../evaluator/scorePeer.ts'
import type { Policy } from '../models.ts'
import type { PeerNode } from '../peerNode.ts'
import { policySequences } from './policySequences.ts'

export type Learner = {
  /**
   * One update on these groups, with rewards computed here.
   *
   * @param own - whether they are this solver's own: its warm-up counts rounds, not updates.
   */
  learn: (groups: readonly CheckedGroup[], own: boolean) => Promise<{ meanReward: number; averageAtK: number }>
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** Learns from groups, its own or taken: a score that came with a rollout is never believed. */
export function createLearner(node: PeerNode, policy: Policy, judge: Judge): Learner {
  const { spec } = node.environment
  const { training } = spec
  const { journal, logger } = node
  return {
    async learn(groups, own) {
      const scores = await scoreGroups(judge, spec, groups)
      const kept = Number(journal.getState('rounds learned') ?? 0)
      const rounds = own ? kept + 1 : kept
      if (own) journal.setState('rounds learned', rounds)
      const sequences = policySequences(
        groups,
        scores.map(({ score }) => score),
        spec,
      )
      if (sequences.length > 0) {
        const warmUp = Math.min(1, Math.max(1, rounds) / Math.max(1, training.warmUpRounds))
        const { clipLow, clipHigh } = training
        const learningRate = training.learningRate * warmUp
        const step = await policy.learn(sequences, { learningRate, clipLow, clipHigh, klBeta: 0 })
        logger.debug('update', { own, sequences: sequences.length, learningRate, ...step })
      }
      return {
        meanReward: mean(scores.map(({ score }) => score)),
        averageAtK: mean(scores.map(({ components }) => components.predictedCorrectness)),
      }
    },
  }
}
