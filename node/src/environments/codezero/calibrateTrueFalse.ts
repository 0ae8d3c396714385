import { seededRandom } from '../seededRandom.ts'
import type { JudgedPair } from './createJudge.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { mutateMeaning } from './curriculum/mutateMeaning.ts'
import { renderSolution } from './curriculum/renderSolution.ts'
import { semanticKey } from './curriculum/semanticKey.ts'
import { levels } from './curriculum/task.ts'

export type LabelledPair = JudgedPair & { readonly isRight: boolean }
export type TrueFalseCalibration = { readonly bias: number; readonly slope: number }

/**
 * Problems with code, half of it right and half a near-miss, of all levels in turn. Right and wrong are so by construction:
 * a near-miss has other values on the curriculum's battery of inputs.
 */
export function labelledPairs(count: number, seed: string): LabelledPair[] {
  const random = seededRandom(`true or false ${seed}`)
  const pairs: LabelledPair[] = []
  while (pairs.length < count) {
    const problem = drawTrainingTask(levels[Math.floor(pairs.length / 2) % levels.length] ?? 3, random)
    const isRight = pairs.length % 2 === 0
    const meaning = isRight ? problem.meaning : mutateMeaning(problem.meaning, random)
    if (!isRight && semanticKey(meaning) === semanticKey(problem.meaning)) continue
    pairs.push({ problem, code: renderSolution(problem, meaning, random), isRight })
  }
  return pairs
}

/** Pulls towards no opinion, so that a model that separates everything, or nothing, still gets finite numbers. */
const RIDGE = 1e-3
const STEPS = 100

/**
 * Logistic regression of right or wrong on log-odds, by Newton's method (Platt scaling).
 *
 * @param odds - log-odds of 'true', one a label.
 * @see Platt, Probabilistic Outputs for Support Vector Machines, 1999.
 */
export function fitTrueFalse(odds: readonly number[], isRight: readonly boolean[]): TrueFalseCalibration {
  let [bias, slope] = [0, 0]
  for (let step = 0; step < STEPS; step++) {
    let [g0, g1, h00, h01, h11] = [RIDGE * bias, RIDGE * slope, RIDGE, 0, RIDGE]
    for (const [i, x] of odds.entries()) {
      const p = 1 / (1 + Math.exp(-(bias + slope * x)))
      const error = (p - (isRight[i] ? 1 : 0)) / odds.length
      const weight = (p * (1 - p)) / odds.length
      g0 += error
      g1 += error * x
      h00 += weight
      h01 += weight * x
      h11 += weight * x * x
    }
    const determinant = h00 * h11 - h01 * h01
    const [d0, d1] = [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant]
    bias -= d0
    slope -= d1
    if (Math.abs(d0) + Math.abs(d1) < 1e-10) break
  }
  return { bias, slope }
}

/** Mean of the shares of right pairs and of wrong pairs that a calibration tells at one half. */
export function balancedAccuracy(
  odds: readonly number[],
  isRight: readonly boolean[],
  { bias, slope }: TrueFalseCalibration,
): number {
  const share = (label: boolean) => {
    const told = odds.filter((_, i) => isRight[i] === label).map(x => bias + slope * x > 0 === label)
    return told.filter(Boolean).length / Math.max(1, told.length)
  }
  return (share(true) + share(false)) / 2
}
