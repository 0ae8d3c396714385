/** @param predicted - probabilities, one a label. */
export function balancedAccuracy(predicted: readonly number[], isRight: readonly boolean[]): number {
  const share = (label: boolean) => {
    const told = predicted.filter((_, i) => isRight[i] === label).map(p => p > 0.5 === label)
    return told.filter(Boolean).length / Math.max(1, told.length)
  }
  return (share(true) + share(false)) / 2
}

const BINS = 10

/** Answers whose probabilities lie in one tenth: the sum of these, and the number of right answers. */
export type CalibrationBin = { readonly predicted: number; readonly right: number }

/** The ten bins of equal width from 0 to 1. @param predicted - probabilities, one a label. */
export function calibrationBins(predicted: readonly number[], isRight: readonly boolean[]): CalibrationBin[] {
  const bins = Array.from({ length: BINS }, () => ({ predicted: 0, right: 0 }))
  for (const [i, p] of predicted.entries()) {
    const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))]
    if (!bin) continue
    bin.predicted += p
    bin.right += isRight[i] ? 1 : 0
  }
  return bins
}

/** The bins of all answers, from those of their parts. */
export function addBins(parts: readonly (readonly CalibrationBin[])[]): CalibrationBin[] {
  const sum = (bin: number, of: keyof CalibrationBin) =>
    parts.reduce((total, part) => total + (part[bin]?.[of] ?? 0), 0)
  return Array.from({ length: BINS }, (_, bin) => ({ predicted: sum(bin, 'predicted'), right: sum(bin, 'right') }))
}

/** Sum over the bins of the distances of predicted from right answers; divided by all answers, the expected calibration error. */
export const distanceOf = (bins: readonly CalibrationBin[]) =>
  bins.reduce((sum, { predicted, right }) => sum + Math.abs(predicted - right), 0)

/**
 * Expected calibration error over ten bins of equal width: the mean distance of a bin's probability from its share of right ones, each bin
 * by its size.
 *
 * @see Guo et al., On Calibration of Modern Neural Networks, arXiv:1706.04599 section 2.
 */
export function calibrationError(predicted: readonly number[], isRight: readonly boolean[]): number {
  return distanceOf(calibrationBins(predicted, isRight)) / Math.max(1, predicted.length)
}

/** Counts of answers by the judge's probability (at least 0.5 or below) and by the result of execution. */
export type Confusion = Record<(typeof confusionNames)[number], number>

export const confusionNames = ['truePositives', 'falsePositives', 'falseNegatives', 'trueNegatives'] as const

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
