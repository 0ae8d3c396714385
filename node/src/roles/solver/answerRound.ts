import type { PeerKey, PolicyHash, Seed } from '#core/hashes.ts'
import { packLogprobs, packTokens } from '#core/payloads/packedTokens.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import type { Completion } from '#model/generation/completion.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { AdmittedTask } from '../draws/admitTasks.ts'
import type { RoundRules } from '../draws/checkRollouts.ts'
import { drawTasks } from '../draws/drawTasks.ts'
import { roundSeed } from '../draws/roundSeed.ts'

/** What samples: the policy as it is, or as it was when it was named. */
export type Sampler = Pick<PolicyClient, 'weightsHash' | 'generate'>

/** Samples the answers that a solver owes in a round, with the seed that the rule gives. */
export async function answerRound(
  policy: Sampler,
  { chainId, round, peerKey }: { chainId: number; round: number; peerKey: PeerKey },
  rules: RoundRules,
): Promise<RolloutBundle> {
  const { spec, format, beacon } = rules
  const tasks = drawTasks(chainId, round, peerKey, rules)
  const seed = roundSeed('rollout', chainId, round, beacon, peerKey)
  const prompts = await Promise.all(tasks.map(({ problem }) => format.solverPrompt(problem)))
  const policyHash = await policy.weightsHash()
  const { temperature, topP, maxNewTokens } = spec.solving
  const { stopToken, moreStopTokens } = format
  const stops = { stopToken, moreStopTokens }
  const sampling = { samplesPerPrompt: spec.groupSize, maxNewTokens, temperature, topP, ...stops, seed }
  const completions = await policy.generate({ prompts, ...sampling })
  return rolloutBundle({ chainId, round, peerKey, policyHash, seed }, rules, tasks, prompts, completions)
}

type RolloutHeader = { chainId: number; round: number; peerKey: PeerKey; policyHash: PolicyHash; seed: Seed }

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
