import type { RolloutBundle } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { packLogprobs, packTokens } from '#core/packedTokens.ts'
import type { Completion } from '#model/generate.ts'
import type { AdmittedTask } from '../admitTasks.ts'
import type { RoundRules } from '../checkRollouts.ts'

export type RolloutHeader = { chainId: number; round: number; peerKey: Hex; policyHash: Hex; seed: Hex }

/**
 * What a solver publishes for a round: for each task drawn, one group of completions.
 *
 * @param prompts - prompt tokens, one a task.
 * @param completions - `groupSize` for each task, in order of the tasks.
 */
export function rolloutBundle(
  header: RolloutHeader,
  { spec, format }: Pick<RoundRules, 'spec' | 'format'>,
  tasks: readonly AdmittedTask[],
  prompts: readonly Int32Array[],
  completions: readonly Completion[],
): RolloutBundle {
  const { chainId, round, peerKey, policyHash, seed } = header
  const { temperature, maxNewTokens } = spec.solving
  const groups = tasks.map((task, at) => ({
    taskRef: task.ref,
    rollouts: completions.slice(at * spec.groupSize, (at + 1) * spec.groupSize).map((completion, sample) => ({
      index: at * spec.groupSize + sample,
      promptTokens: packTokens(prompts[at] as Int32Array, format.tokenBytes),
      completionTokens: packTokens(completion.tokens, format.tokenBytes),
      logprobs: packLogprobs(completion.logprobs),
      seed,
      sampling: { temperature, maxNewTokens },
      ended: completion.ended,
    })),
  }))
  return { v: 1, chainId, round, peerKey, policyHash, groups }
}
