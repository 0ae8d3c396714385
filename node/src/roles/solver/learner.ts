import type { Judge } from '#environments/codezero/createJudge.ts'
import type { EnvironmentSpec } from '#environments/codezero/environmentSpec.ts'
import type { RolloutGroup } from '#rl/groupStep.ts'
import { learningRateAt } from '#rl/learningRate.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import type { CheckedGroup } from '../checkRollouts.ts'
import { scoreGroups } from '../evaluator/scorePeer.ts'
import type { PeerNode } from '../peerNode.ts'

export type OwnMeans = {
  /** Composite score. */
  meanReward: number
  averageAtK: number
}

export type Learner = {
  /**
   * One update on these groups, with rewards computed here.
   *
   * @param own - how many of them, from the first on, are this solver's own: the means are of those, and the warm-up
   *   counts rounds, so updates that have any.
   * @returns means over the own answers; 0 where there are none.
   */
  learn: (groups: readonly CheckedGroup[], own: number) => Promise<OwnMeans>
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
      const rounds = own > 0 ? kept + 1 : kept
      if (own > 0) journal.setState('rounds learned', rounds)
      const learningRate = learningRateAt(Math.max(1, rounds), scheduleOf(training))
      const { clipLow, clipHigh, minGroupDeviation: minDeviation } = training
      const step = { learningRate, clipLow, clipHigh, scaleRewards: 'group' as const, minDeviation }
      const report = await policy.policyStep(
        rewarded(
          groups,
          scores.map(({ score }) => score),
        ),
        step,
      )
      logger.debug('update', { own, learningRate, groupsUsed: report.groupsUsed, ...report.step })
      const ownScores = scores.slice(0, answersIn(groups.slice(0, own)))
      return {
        meanReward: mean(ownScores.map(({ score }) => score)),
        averageAtK: mean(ownScores.map(({ components }) => components.predictedCorrectness)),
      }
    },
  }
}

function scheduleOf({ schedule, learningRate, warmUpRounds, totalRounds }: EnvironmentSpec['training']) {
  const total = totalRounds === null ? {} : { totalSteps: totalRounds }
  return { kind: schedule, peak: learningRate, warmupSteps: warmUpRounds, ...total }
}

const answersIn = (groups: readonly CheckedGroup[]) => groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)

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
