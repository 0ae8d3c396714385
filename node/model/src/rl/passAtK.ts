/** A mean over tasks, and the ends of its 95 % interval. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number }

/** Standard normal quantile of 97.5 %. */
const Z = 1.959964

/**
 * The chance that one of `k` answers passes, from `samples` of which `passed` did: the unbiased estimator.
 *
 * @throws {RangeError} if there are fewer than `k` samples.
 * @see Chen et al., arXiv:2107.03374, equation 1.
 */
export function passAtK(samples: number, passed: number, k: number): number {
  if (k < 1 || k > samples) throw new RangeError(`pass@${k} of ${samples} samples`)
  let none = 1
  for (let left = samples - passed + 1; left <= samples; left++) none *= Math.max(0, 1 - k / left)
  return 1 - none
}

/**
 * Mean of a quantity from 0 to 1 over tasks, with Wilson's interval for the effective number of answers: tasks are drawn, and samples of one task
 * are not independent. With one sample per task it is Wilson's interval itself, which is never empty at 0 or 1.
 *
 * @param values - one for each task, at least one.
 * @param samples - samples of each task: an upper bound for the effective number of answers per task.
 */
export function meanWithInterval(values: readonly number[], samples: number): Estimate {
  const tasks = values.length
  const value = values.reduce((sum, each) => sum + each, 0) / tasks
  const variance = values.reduce((sum, each) => sum + (each - value) ** 2, 0) / Math.max(1, tasks - 1)
  const effective = variance > 0 ? (tasks * value * (1 - value)) / variance : tasks
  const n = Math.min(tasks * samples, Math.max(tasks, effective))
  const centre = (value + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n)
  const half = (Z * Math.sqrt((value * (1 - value)) / n + Z ** 2 / (4 * n ** 2))) / (1 + Z ** 2 / n)
  return { value, low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}
