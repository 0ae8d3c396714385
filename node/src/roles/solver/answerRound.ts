import type { RolloutBundle } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import type { RoundRules } from '../checkRollouts.ts'
import { drawTasks } from '../drawTasks.ts'
import { roundSeed } from '../roundSeed.ts'
import { rolloutBundle } from './rolloutBundle.ts'

/** What samples: the policy as it is, or as it was when it was named. */
export type Sampler = Pick<PolicyClient, 'weightsHash' | 'generate'>

/** Samples the answers that a solver owes in a round, with the seed that the rule gives. */
export async function answerRound(
  policy: Sampler,
  { chainId, round, peerKey }: { chainId: number; round: number; peerKey: Hex },
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
