/** A learning rate over the steps of a run, by the names of transformers' schedulers. */
export interface LearningRateSchedule {
  /**
   * After warm-up: stay, fall to zero in a straight line, or fall to zero along half a cosine (SGDR, arXiv:1608.03983 section 3).
   */
  readonly kind: 'constant' | 'linear' | 'cosine'
  /** The highest rate. */
  readonly peak: number
  /** Steps in which the rate rises from zero in a straight line; 0. */
  readonly warmupSteps?: number
  /** Steps of the whole run; the rate is zero from there on. Only `constant` goes without. */
  readonly totalSteps?: number
}

/** One rate for every step, or a schedule over the trainer's own count of them, which its saved state keeps. */
export type LearningRate = number | LearningRateSchedule

/**
 * The rate of a step.
 *
 * @param step - steps taken before it; 0 for the first.
 */
export function learningRateAt(step: number, schedule: LearningRate): number {
  if (typeof schedule === 'number') return schedule
  const { kind, peak, warmupSteps = 0, totalSteps = Number.POSITIVE_INFINITY } = schedule
  if (step < warmupSteps) return (peak * step) / warmupSteps
  if (kind === 'constant') return peak
  const progress = Math.min(1, (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps))
  return kind === 'linear' ? peak * (1 - progress) : peak * 0.5 * (1 + Math.cos(Math.PI * progress))
}
