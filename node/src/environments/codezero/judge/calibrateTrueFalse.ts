import { balancedAccuracy, calibrationError } from '../../judgeFigures.ts'
import { seededRandom } from '../../seededRandom.ts'

type TrueFalseCalibration = { readonly bias: number; readonly slope: number }

/** A judge's log-odds of 'true' for one pair, the label, and whether a solver wrote the code. */
type JudgedOdds = { readonly odds: number; readonly isRight: boolean; readonly isOwn: boolean }

/** Quality of calibrated probabilities on pairs not used for calibration. */
type JudgeFigures = {
  /** Balanced accuracy at the threshold 0.5; 0.5 is chance. */
  readonly balancedAccuracy: number
  /** Expected calibration error. */
  readonly ece: number
}

/** Figures on the solver's own answers, each by a calibration that it is not part of. */
type OwnFigures = {
  readonly answers: number
  /** Null if fewer than `MIN_OF_EACH` are right, or wrong. */
  readonly balancedAccuracy: number | null
}

/** A judge below this teaches noise: 0.5 is chance. */
export const MIN_BALANCED_ACCURACY = 0.65

/** Own answers without which nothing is known about the code that a judge will see: a quarter of the 64 that a served judge is examined with. */
export const MIN_OWN_ANSWERS = 16

/** Right and wrong own answers, each, from which their balanced accuracy counts: at chance its standard error is then about 0.10 at most. */
const MIN_OF_EACH = 12

type Examined = { calibration: TrueFalseCalibration; figures: JudgeFigures; own: OwnFigures }

/**
 * Fits a calibration on one half of the pairs and measures it on the other. Each half has as many of a label and origin; which of them is drawn, since
 * any fixed order would be in step with some order of kinds. Own answers are also measured by themselves, all of them: each half by the calibration
 * of the other.
 */
export function examineJudge(judged: readonly JudgedOdds[]): Examined {
  const { fitted, held } = halvesOf(judged)
  const calibration = fit(fitted)
  const ownOf = (half: readonly JudgedOdds[]) => half.filter(({ isOwn }) => isOwn)
  const predictedOwn = [...predict(ownOf(fitted), fit(held)), ...predict(ownOf(held), calibration)]
  return {
    calibration,
    figures: figuresOf(predict(held, calibration), labelsOf(held)),
    own: ownFiguresOf(predictedOwn, labelsOf([...ownOf(fitted), ...ownOf(held)])),
  }
}

type Labelled = readonly { readonly isRight: boolean }[]

/** Measures a judge that is calibrated already. @param predicted - probabilities of the near-misses, then of the own answers. */
export function examineCalibrated(near: Labelled, own: Labelled, predicted: readonly number[]): Examined {
  return {
    calibration: { bias: 0, slope: 1 },
    figures: figuresOf(predicted, labelsOf([...near, ...own])),
    own: ownFiguresOf(predicted.slice(near.length), labelsOf(own)),
  }
}

const labelsOf = (judged: Labelled) => judged.map(({ isRight }) => isRight)

function figuresOf(predicted: readonly number[], labels: readonly boolean[]): JudgeFigures {
  return { balancedAccuracy: balancedAccuracy(predicted, labels), ece: calibrationError(predicted, labels) }
}

function ownFiguresOf(predicted: readonly number[], labels: readonly boolean[]): OwnFigures {
  const right = labels.filter(Boolean).length
  const isEnough = Math.min(right, labels.length - right) >= MIN_OF_EACH
  return { answers: labels.length, balancedAccuracy: isEnough ? balancedAccuracy(predicted, labels) : null }
}

function halvesOf(judged: readonly JudgedOdds[]): { fitted: JudgedOdds[]; held: JudgedOdds[] } {
  const drawn = seededRandom('halves of an examination').shuffled(judged)
  const strata = [...Map.groupBy(drawn, ({ isRight, isOwn }) => `${isRight} ${isOwn}`).values()]
  const half = (which: number) => strata.flatMap(stratum => stratum.filter((_, at) => at % 2 === which))
  return { fitted: half(0), held: half(1) }
}

/** @param odds - of the near-misses, then of the own answers; null for code that the judge cannot read, which is left out. */
export function judgedOdds(near: Labelled, own: Labelled, odds: readonly (number | null | undefined)[]): JudgedOdds[] {
  return [...near, ...own].flatMap(({ isRight }, at) => {
    const found = odds[at]
    return found == null ? [] : [{ isRight, odds: found, isOwn: at >= near.length }]
  })
}

const fit = (judged: readonly JudgedOdds[]) =>
  fitTrueFalse(
    judged.map(({ odds }) => odds),
    labelsOf(judged),
  )

const predict = (judged: readonly JudgedOdds[], calibration: TrueFalseCalibration) =>
  judged.map(({ odds }) => calibratedOdds(odds, calibration))

/** Reason why a judge is too weak to score; null if it is good enough. */
export function weaknessOf({ calibration, figures, own }: Examined): string | null {
  const { slope } = calibration
  if (slope <= 0) return `it finds wrong code likelier to be right than right code (slope ${slope.toFixed(2)})`
  const isBelow = (accuracy: number) => accuracy < MIN_BALANCED_ACCURACY
  const below = (accuracy: number) => `${accuracy.toFixed(3)}, below ${MIN_BALANCED_ACCURACY}; 0.5 is chance`
  if (isBelow(figures.balancedAccuracy)) return `its balanced accuracy is ${below(figures.balancedAccuracy)}`
  if (own.balancedAccuracy === null || !isBelow(own.balancedAccuracy)) return null
  return `its balanced accuracy on the solver's ${own.answers} answers alone is ${below(own.balancedAccuracy)}`
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
