import { NodeError } from '#core/errors.ts'

/** Rewards that do not form whole groups. */
export class ShapeError extends NodeError {
  readonly code: string = 'SHAPE'
}

export interface GroupAdvantagesOptions {
  /**
   * Divide by the group's standard deviation (over samples - 1). It over-weights prompts that the policy almost
   * always, or almost never, solves (arXiv:2503.20783), but small models learn faster with it.
   */
  readonly divideByDeviation?: boolean
  /** Groups whose standard deviation is below this teach nothing and get advantages of zero; 0 keeps all. */
  readonly minDeviation?: number
}

export interface GroupAdvantages {
  /** Same shape as the rewards; each row sums to 0 within 1e-5 * samples. */
  readonly advantages: Float32Array
  /** [prompts]: false for the groups that were dropped. */
  readonly kept: readonly boolean[]
}

/**
 * Group-relative advantages: each reward minus the mean of its group.
 *
 * @param rewards - `[prompts, samples]`, row-major.
 * @param samples - completions per prompt, >= 2.
 * @throws {ShapeError} if `rewards` is not a whole number of groups.
 * @see GRPO, arXiv:2402.03300 section 4.1.
 */
export function groupAdvantages(
  rewards: Float32Array,
  samples: number,
  options: GroupAdvantagesOptions = {},
): GroupAdvantages {
  if (!Number.isInteger(samples) || samples < 2 || rewards.length % samples) {
    throw new ShapeError(`${rewards.length} rewards are not whole groups of ${samples}`, {
      hint: 'Give one reward for each of at least 2 completions of each prompt.',
    })
  }
  const advantages = new Float32Array(rewards.length)
  const kept: boolean[] = []
  for (let start = 0; start < rewards.length; start += samples) {
    const group = rewards.subarray(start, start + samples)
    const mean = group.reduce((a, b) => a + b, 0) / samples
    const deviation = Math.sqrt(group.reduce((sum, r) => sum + (r - mean) ** 2, 0) / (samples - 1))
    const keep = deviation >= (options.minDeviation ?? 0)
    kept.push(keep)
    if (!keep) continue
    const divisor = options.divideByDeviation ? deviation + 1e-4 : 1
    for (let i = 0; i < samples; i++) advantages[start + i] = ((group[i] as number) - mean) / divisor
  }
  return { advantages, kept }
}
