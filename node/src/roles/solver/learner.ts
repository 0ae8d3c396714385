import type { Judge } from '#environments/codezero/createJudge.ts'
import type { RolloutGroup } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import type { CheckedGroup } from '../checkRollouts.ts'
import { scoreGroups } from '../evaluator/scorePeer.ts'
import type { PeerNode } from '../peerNode.ts'

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
export function createLearner(node: PeerNode, policy: PolicyClient, judge: Judge): Learner {
  const { spec } = node.environment
  const { training } = spec
  const { journal, logger } = node
  return {
    async learn(groups, own) {
      const scores = await scoreGroups(judge, spec, groups)
      const kept = Number(journal.getState('rounds learned') ?? 0)
      const rounds = own ? kept + 1 : kept
      if (own) journal.setState('rounds learned', rounds)
      const warmUp = Math.min(1, Math.max(1, rounds) / Math.max(1, training.warmUpRounds))
      const learningRate = training.learningRate * warmUp
      const { clipLow, clipHigh, minGroupDeviation: minDeviation } = training
      const step = { learningRate, clipLow, clipHigh, divideByDeviation: true, minDeviation }
      const report = await policy.policyStep(
        rewarded(
          groups,
          scores.map(({ score }) => score),
        ),
        step,
      )
      logger.debug('update', { own, learningRate, groupsUsed: report.groupsUsed, ...report.step })
      return {
        meanReward: mean(scores.map(({ score }) => score)),
        averageAtK: mean(scores.map(({ components }) => components.predictedCorrectness)),
      }
    },
  }
}

/** Groups as the trainer takes them, each completion with the reward that was computed here. */
function rewarded(groups: readonly CheckedGroup[], rewards: readonly number[]): RolloutGroup[] {
  let next = 0
  return groups.flatMap(({ rollouts }) => {
    const completions = rollouts.map(({ completionTokens, logprobs }) => ({
      tokens: completionTokens,
      logprobs,
      reward: rewards[next++] as number,
    }))
    return rollouts[0] === undefined ? [] : [{ prompt: rollouts[0].promptTokens, completions }]
  })
}
