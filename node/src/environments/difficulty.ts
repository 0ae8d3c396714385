import { z } from 'zod'
import type { Level } from './level.ts'

const ruleSchema = z.strictObject({
  /** Level of the first round. 2: RL Swarm's. */
  startLevel: z.int().min(1).max(5).default(2),
  /** Solved less than this, the level falls. 0.3: below it, groups of 8 hold few right answers to learn from. */
  bandLow: z.number().min(0).max(1).default(0.3),
  /** Solved more than this, the level rises. 0.7: above it, most groups are right throughout. */
  bandHigh: z.number().min(0).max(1).default(0.7),
  /** Observations in a mean. 10: RL Swarm's. */
  window: z.int().min(1).max(100).default(10),
  /** Change between two means that moves the level inside the band. 0.05: RL Swarm's. */
  trendThreshold: z.number().min(0).max(1).default(0.05),
  /** Observations between two decisions. 5: RL Swarm's. */
  checkEvery: z.int().min(1).max(100).default(5),
})
/** Rule for changes of the proposers' level. Defaults: RL Swarm's trend rule, and an absolute band. */
export const difficultySchema = ruleSchema.refine(({ bandLow, bandHigh }) => bandLow <= bandHigh, {
  error: 'expected at most bandHigh: a share in between would raise and lower the level',
  path: ['bandLow'],
})
export type DifficultyRule = z.output<typeof difficultySchema>

export const difficultyStateSchema = z.strictObject({
  level: z
    .int()
    .min(1)
    .max(5)
    .transform(level => level as Level),
  solved: z.array(z.number().min(0).max(1)).readonly(),
  observations: z.int().min(0),
  since: z.int().min(0).default(0),
})
/** State of the controller: the level, the first round with tasks of it, and the solved shares observed at it, newest last. */
export type DifficultyState = z.output<typeof difficultyStateSchema>

export function initialDifficulty(rule: DifficultyRule): DifficultyState {
  return { level: rule.startLevel as Level, solved: [], observations: 0, since: 0 }
}

/** A settled round. */
type SolvedRound = {
  readonly round: number
  /** Mean predicted correctness, from 0 to 1. */
  readonly solvedShare: number
  /** The first round whose tasks can still be of another level. */
  readonly next: number
}

/**
 * The state after one more observation.
 *
 * The absolute band decides first, so that a level that is always or never solved is left even without a trend. Inside the band the trend
 * decides: the mean of the last `window` minus that of the `window` before. A move clears the observations, since shares of different
 * levels are not comparable; rounds that were proposed before it are ignored, as they become final after it.
 */
export function observeSolvedShare(
  state: DifficultyState,
  { round, solvedShare, next }: SolvedRound,
  rule: DifficultyRule,
): DifficultyState {
  const { since } = state
  if (round < since) return state
  const solved = [...state.solved, solvedShare].slice(-2 * rule.window)
  const observations = state.observations + 1
  const step = observations % rule.checkEvery === 0 ? direction(solved, rule) : 0
  const level = Math.min(5, Math.max(1, state.level + step)) as Level
  return level === state.level
    ? { level, solved, observations, since }
    : { level, solved: [], observations: 0, since: next }
}

/** Standard errors that a trend has to exceed: otherwise a solver that does not change would drift through the levels by noise. */
const NOISE_ERRORS = 4

function direction(solved: readonly number[], rule: DifficultyRule): -1 | 0 | 1 {
  const recent = mean(solved.slice(-rule.window))
  if (recent > rule.bandHigh) return 1
  if (recent < rule.bandLow) return -1
  if (solved.length < 2 * rule.window) return 0
  const [before, after] = [solved.slice(0, rule.window), solved.slice(-rule.window)]
  const trend = recent - mean(before)
  const least = Math.max(rule.trendThreshold, NOISE_ERRORS * Math.hypot(errorOf(before), errorOf(after)))
  if (trend > least) return 1
  return trend < -least ? -1 : 0
}

/** Standard error of the mean; 0 for one value. */
function errorOf(values: readonly number[]): number {
  const centre = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1) / values.length)
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
