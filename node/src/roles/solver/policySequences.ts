import type { EnvironmentSpec } from '#environments/codezero/environmentSpec.ts'
import { groupAdvantages } from '#rl/groupAdvantages.ts'
import type { PolicySequence } from '#rl/trainer.ts'
import type { CheckedGroup } from '../checkRollouts.ts'

/**
 * What one update learns from: each completion with its advantage in its group. Groups that teach nothing are left out.
 *
 * @param rewards - one a rollout, in order; computed by the learner itself, never taken from a peer.
 */
export function policySequences(
  groups: readonly CheckedGroup[],
  rewards: readonly number[],
  { groupSize, training }: EnvironmentSpec,
): PolicySequence[] {
  const { advantages, kept } = groupAdvantages(Float32Array.from(rewards), groupSize, {
    divideByDeviation: true,
    minDeviation: training.minGroupDeviation,
  })
  return groups.flatMap(({ rollouts }, group) =>
    kept[group] === true
      ? rollouts.map((rollout, sample) => {
          const { promptTokens, completionTokens, logprobs } = rollout
          const tokens = Int32Array.of(...promptTokens, ...completionTokens)
          const scored = Int32Array.from(completionTokens, (_, at) => promptTokens.length + at)
          const advantage = advantages[group * groupSize + sample] as number
          return { tokens, scored, oldLogprobs: logprobs, advantage }
        })
      : [],
  )
}
