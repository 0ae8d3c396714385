import { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import type { SchemaOf } from '#base/schemaOf.ts'
import { checkOptions, rewardsSchema } from './stepOptions.ts'

/** Rewards that do not form groups. */
class ShapeError extends NodeError {
  readonly code: string = 'SHAPE'
}

/**
 * Divisor of centred rewards, by TRL's names: the standard deviation of their `group` (arXiv:2402.03300 section
 * 4.1.2) or of the whole `batch` (arXiv:2508.08221), over count - 1 and with 1e-4 added; or nothing. Division by
 * the group's over-weights prompts that the policy almost always, or almost never, solves (arXiv:2503.20783 section 3.1), but
 * small models learn faster with it.
 */
export type ScaleRewards = 'group' | 'batch' | 'none'

export interface GroupAdvantagesOptions {
  /** `none` by default. */
  readonly scaleRewards?: ScaleRewards
  /** Groups whose standard deviation is below this teach nothing and get advantages of zero (DAPO, arXiv:2503.14476 section 3.2); 0, the default, keeps all. */
  readonly minDeviation?: number
}

export const advantagesSchema = z.strictObject({
  scaleRewards: z.enum(['group', 'batch', 'none']).optional(),
  minDeviation: z.number().min(0).optional(),
} satisfies SchemaOf<GroupAdvantagesOptions>)

export interface GroupAdvantages {
  /** Same shape as the rewards; each group sums to 0 within 1e-5 a sample. */
  readonly advantages: readonly Float32Array[]
  /** [groups]: false for the groups that were dropped. */
  readonly kept: readonly boolean[]
}

/**
 * Group-relative advantages: each reward minus the mean of its group.
 *
 * @param groups - rewards of the completions of each prompt, at least 2; groups may differ in size.
 * @throws {ShapeError} if a group is of fewer than 2.
 * @throws {TrainerError} if rewards are not arrays of numbers, or an option is unknown.
 * @see GRPO, arXiv:2402.03300 section 4.1.
 */
export function groupAdvantages(
  groups: readonly Float32Array[],
  options: GroupAdvantagesOptions = {},
): GroupAdvantages {
  checkOptions(rewardsSchema, groups, 'rewards')
  checkOptions(advantagesSchema, options)
  const { scaleRewards = 'none', minDeviation = 0 } = options
  const small = groups.find(group => group.length < 2)
  if (small) {
    throw new ShapeError(`a group of ${small.length} rewards has no advantages`, {
      hint: 'Give rewards of at least 2 completions of each prompt.',
    })
  }
  const batch = scaleRewards === 'batch' ? statistics(groups.flatMap(group => [...group])).deviation : 0
  const kept: boolean[] = []
  const advantages = groups.map(group => {
    const { mean, deviation } = statistics(group)
    const keep = deviation >= minDeviation
    kept.push(keep)
    if (!keep) return new Float32Array(group.length)
    const divisor = { none: 1, group: deviation + 1e-4, batch: batch + 1e-4 }[scaleRewards]
    return group.map(reward => (reward - mean) / divisor)
  })
  return { advantages, kept }
}

/** Mean and standard deviation, over count - 1 as `torch.std` has it. */
function statistics(rewards: ArrayLike<number>): { mean: number; deviation: number } {
  const all = Array.from(rewards)
  const mean = all.reduce((a, b) => a + b, 0) / all.length
  const squares = all.reduce((sum, r) => sum + (r - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / (all.length - 1)) }
}
