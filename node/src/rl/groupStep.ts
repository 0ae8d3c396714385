import { groupAdvantages } from './groupAdvantages.ts'
import type { PolicySequence, StepReport, Trainer } from './trainer.ts'
import { TrainerError } from './trainerError.ts'

/** Completions of one prompt, with the rewards that the trainer's owner gave them. */
export interface RolloutGroup {
  readonly prompt: Int32Array
  readonly completions: readonly {
    readonly tokens: Int32Array
    /** [tokens.length] under the policy that generated them. */
    readonly logprobs: Float32Array
    readonly reward: number
  }[]
}

export interface GroupStepOptions {
  readonly learningRate: number
  /** The importance ratio's lower bound is 1 - clipLow; 0.2. */
  readonly clipLow?: number
  /** Its upper bound is 1 + clipHigh; 0.28. */
  readonly clipHigh?: number
  /** Divide advantages by the group's standard deviation; true, which the starter models were measured with. */
  readonly divideByDeviation?: boolean
  /** Groups whose rewards deviate less than this are dropped; 0.05. */
  readonly minDeviation?: number
}

export interface GroupStepReport {
  /** Groups that had something to teach; at 0 nothing was changed and `step` is null. */
  readonly groupsUsed: number
  readonly step: StepReport | null
}

/**
 * One policy update on rollout groups. Groups may differ in size.
 *
 * @throws {TrainerError} if a completion has not one log-probability a token, or a reward or log-probability is not a number.
 */
export async function groupStep(
  trainer: Trainer,
  groups: readonly RolloutGroup[],
  { learningRate, clipLow = 0.2, clipHigh = 0.28, divideByDeviation = true, minDeviation = 0.05 }: GroupStepOptions,
): Promise<GroupStepReport> {
  const kept = groups
    .map(group => policySequences(group, { divideByDeviation, minDeviation }))
    .filter(sequences => sequences.length > 0)
  if (kept.length === 0) return { groupsUsed: 0, step: null }
  const step = await trainer.policyStep(kept.flat(), { learningRate, clipLow, clipHigh, klBeta: 0 })
  return { groupsUsed: kept.length, step }
}

/** A group as sequences to learn from; none if its rewards deviate too little or it is of one. Empty completions are left out. */
function policySequences(
  { prompt, completions }: RolloutGroup,
  options: { divideByDeviation: boolean; minDeviation: number },
): PolicySequence[] {
  for (const { tokens, logprobs, reward } of completions) {
    if (tokens.length !== logprobs.length)
      throw refuse(`${logprobs.length} log-probabilities for ${tokens.length} tokens`)
    if (!Number.isFinite(reward) || !logprobs.every(Number.isFinite))
      throw refuse('a reward or log-probability is not finite')
  }
  if (completions.length < 2) return []
  const rewards = Float32Array.from(completions, completion => completion.reward)
  const { advantages, kept } = groupAdvantages(rewards, completions.length, options)
  if (!kept[0]) return []
  return completions.flatMap(({ tokens, logprobs }, i) => {
    if (tokens.length === 0) return []
    const sequence = new Int32Array(prompt.length + tokens.length)
    sequence.set(prompt)
    sequence.set(tokens, prompt.length)
    const scored = Int32Array.from(tokens, (_, t) => prompt.length + t)
    return [{ tokens: sequence, scored, oldLogprobs: logprobs, advantage: advantages[i] as number }]
  })
}

const refuse = (problem: string) =>
  new TrainerError(`a rollout group cannot be trained on: ${problem}`, {
    hint: 'Check groups taken from peers before training on them.',
  })
