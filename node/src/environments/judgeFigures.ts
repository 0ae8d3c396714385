/** @param predicted - probabilities, one a label. */
export function balancedAccuracy(predicted: readonly number[], isRight: readonly boolean[]): number {
  const share = (label: boolean) => {
    const told = predicted.filter((_, i) => isRight[i] === label).map(p => p > 0.5 === label)
    return told.filter(Boolean).length / Math.max(1, told.length)
  }
  return (share(true) + share(false)) / 2
}

const BINS = 10

/**
 * Expected calibration error over ten bins of equal width: the mean distance of a bin's probability from its share of right ones, each bin
 * by its size.
 *
 * @see Guo et al., On Calibration of Modern Neural Networks, arXiv:1706.04599 section 2.
 */
export function calibrationError(predicted: readonly number[], isRight: readonly boolean[]): number {
  const bins = Array.from({ length: BINS }, () => ({ predicted: 0, right: 0 }))
  for (const [i, p] of predicted.entries()) {
    const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))]
    if (!bin) continue
    bin.predicted += p
    bin.right += isRight[i] ? 1 : 0
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.predicted - bin.right), 0) / Math.max(1, predicted.length)
}

/** Counts of answers by the judge's probability (at least 0.5 or below) and by the result of execution. */
export type Confusion = { truePositives: number; falsePositives: number; falseNegatives: number; trueNegatives: number }

/** @param predicted - probabilities, one a label. */
export function confusionOf(predicted: readonly number[], isRight: readonly boolean[]): Confusion {
  const count = (judged: boolean, label: boolean) =>
    predicted.filter((p, i) => p >= 0.5 === judged && isRight[i] === label).length
  return {
    truePositives: count(true, true),
    falsePositives: count(true, false),
    falseNegatives: count(false, true),
    trueNegatives: count(false, false),
  }
}

/**
 * Mean of the judge's accuracies on right and on wrong answers; null without answers of both kinds, when a judge with a constant verdict would be
 * perfect.
 */
export function balancedAccuracyOf(found: Confusion): number | null {
  const right = found.truePositives + found.falseNegatives
  const wrong = found.trueNegatives + found.falsePositives
  return right === 0 || wrong === 0 ? null : (found.truePositives / right + found.trueNegatives / wrong) / 2
}
