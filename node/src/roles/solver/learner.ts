import type { Judge } from '#environments/environment.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { GroupStepOptions, RolloutGroup } from '#rl/groupStep.ts'
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

export type Lesson = OwnMeans & {
  /** Why nothing was learned, and the policy is as it was; null where it was. */
  failure: string | null
}

export type Learner = {
  /**
   * One update on these groups, with rewards computed here.
   *
   * @param own - how many of them, from the first on, are this solver's own: the means are of those, and the warm-up
   *   counts rounds, so updates that have any.
   * @returns means over the own answers; 0 where there are none.
   */
  learn: (groups: readonly CheckedGroup[], own: number) => Promise<Lesson>
}

/** Of the ratio for tokens of negative advantage, as in INTELLECT-2 (arXiv:2505.07291 section 3.4). */
const DELTA = 4

/** Nats a token that an update on groups of others may move the policy: honest ones of the starter's moved it by 0.0008 at most. */
const MAX_KL = 0.02

const TOO_FAR = 'the update would move the policy too far'
const REFUTED = 'claimed log-probabilities are refuted by those of this policy'

/** What of others is not believed, and how far it may lead. */
const ofOthers = { recomputeLogprobs: true, maxKl: MAX_KL } as const satisfies Partial<GroupStepOptions>

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/**
 * Learns from groups, its own or taken. Nothing that came with a rollout is believed: scores are computed here, and so are the
 * log-probabilities of the policy before an update.
 */
export function createLearner(
  { environment: { spec }, journal, logger }: Pick<PeerNode, 'environment' | 'journal' | 'logger'>,
  policy: PolicyClient,
  judge: Judge,
): Learner {
  const { training } = spec
  return {
    async learn(groups, own) {
      const scores = await scoreGroups(judge, groups)
      const kept = Number(journal.getState('rounds learned') ?? 0)
      const rounds = own > 0 ? kept + 1 : kept
      const learningRate = learningRateAt(Math.max(1, rounds), scheduleOf(training))
      const { clipLow, clipHigh, minGroupDeviation: minDeviation } = training
      const loss = { clipLow, clipHigh, delta: DELTA, scaleRewards: 'group', minDeviation } as const
      const rewards = scores.map(({ score }) => score)
      const { step, kl, undone, refuted, groupsUsed } = await policy.policyStep(
        rewarded(groups, rewards, spec.solving),
        {
          learningRate,
          ...loss,
          ...(groups.length > own ? ofOthers : {}),
        },
      )
      const failure = undone ? TOO_FAR : refuted > 0 ? REFUTED : null
      if (own > 0 && failure === null) journal.setState('rounds learned', rounds)
      logger.debug('update', { own, learningRate, groupsUsed, kl, undone, refuted, ...step })
      const ownScores = scores.slice(0, answersIn(groups.slice(0, own)))
      return {
        meanReward: mean(ownScores.map(({ score }) => score)),
        averageAtK: mean(ownScores.map(({ correctness }) => correctness)),
        failure,
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
function rewarded(
  groups: readonly CheckedGroup[],
  rewards: readonly number[],
  { temperature }: EnvironmentSpec['solving'],
): RolloutGroup[] {
  let next = 0
  return groups.flatMap(({ rollouts }) => {
    const completions = rollouts.map(({ completionTokens, logprobs }) => ({
      tokens: completionTokens,
      logprobs,
      sampling: { temperature },
      reward: rewards[next++] as number,
    }))
    return rollouts[0] === undefined ? [] : [{ prompt: rollouts[0].promptTokens, completions }]
  })
}
