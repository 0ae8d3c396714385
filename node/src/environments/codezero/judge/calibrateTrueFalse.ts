import { balancedAccuracy, calibrationError } from '../../judgeFigures.ts'

type TrueFalseCalibration = { readonly bias: number; readonly slope: number }

/** A judge's log-odds of 'true' for one pair, and the label. */
type JudgedOdds = { readonly odds: number; readonly isRight: boolean }

/** Quality of calibrated probabilities on pairs not used for calibration. */
type JudgeFigures = {
  /** Balanced accuracy at the threshold 0.5; 0.5 is chance. */
  readonly balancedAccuracy: number
  /** Expected calibration error. */
  readonly ece: number
}

/** A judge below this teaches noise: 0.5 is chance. */
export const MIN_BALANCED_ACCURACY = 0.65

/**
 * Fits a calibration on one half of the pairs and measures it on the other. The split is stratified by label and by position in the list,
 * so that blocks of similar pairs are divided evenly.
 */
export function examineJudge(judged: readonly JudgedOdds[]): {
  calibration: TrueFalseCalibration
  figures: JudgeFigures
} {
  const seen = { right: 0, wrong: 0 }
  const [fitted, held]: [JudgedOdds[], JudgedOdds[]] = [[], []]
  for (const one of judged) (seen[one.isRight ? 'right' : 'wrong']++ % 2 === 0 ? fitted : held).push(one)
  const calibration = fitTrueFalse(
    fitted.map(({ odds }) => odds),
    fitted.map(({ isRight }) => isRight),
  )
  const predicted = held.map(({ odds }) => calibratedOdds(odds, calibration))
  const labels = held.map(({ isRight }) => isRight)
  return {
    calibration,
    figures: { balancedAccuracy: balancedAccuracy(predicted, labels), ece: calibrationError(predicted, labels) },
  }
}

/** Reason why a judge is too weak to score; null if it is good enough. */
export function weaknessOf({ slope }: TrueFalseCalibration, { balancedAccuracy }: JudgeFigures): string | null {
  if (slope <= 0) return `it finds wrong code likelier to be right than right code (slope ${slope.toFixed(2)})`
  if (balancedAccuracy >= MIN_BALANCED_ACCURACY) return null
  return `its balanced accuracy is ${balancedAccuracy.toFixed(3)}, below ${MIN_BALANCED_ACCURACY}; 0.5 is chance`
}

/** sigmoid(bias + slope * odds). */
export function calibratedOdds(odds: number, { bias, slope }: TrueFalseCalibration): number {
  return 1 / (1 + Math.exp(-(bias + slope * odds)))
}

/** Regularisation towards zero keeps the fit finite for separable or uninformative data. */
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
      const p = calibratedOdds(x, { bias, slope })
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
