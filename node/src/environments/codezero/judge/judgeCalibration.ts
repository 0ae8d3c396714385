import { z } from 'zod'

/**
 * Maps the judge's evidence to a probability: p = sigmoid(bias + gap * min(largest gap, 12) + nll * min(mean nll, 2)).
 *
 * Fitted on training pairs when the judge is made; stored in its `config.json` under `waggle`.
 */
export const judgeCalibrationSchema = z.strictObject({
  bias: z.number(),
  gap: z.number(),
  nll: z.number(),
})
export type JudgeCalibration = z.output<typeof judgeCalibrationSchema>

/** Evidence is clipped at these values: beyond them, a text is wrong in any case. */
const evidenceLimits = { gap: 12, nll: 2 } as const

/** How well a problem's text fits some code: over the text's tokens, in natural-log units. */
export type JudgeEvidence = {
  /** Largest distance of a token's log-probability from that of the likeliest token. */
  gap: number
  /** Mean negative log-probability. */
  nll: number
}

/** Evidence as regression features, clipped: `[gap, nll]`. */
export function evidenceFeatures({ gap, nll }: JudgeEvidence): [number, number] {
  return [Math.min(gap, evidenceLimits.gap), Math.min(nll, evidenceLimits.nll)]
}

/** The probability that code with this evidence is right. */
export function calibratedProbability(evidence: JudgeEvidence, calibration: JudgeCalibration): number {
  const [gap, nll] = evidenceFeatures(evidence)
  return 1 / (1 + Math.exp(-(calibration.bias + calibration.gap * gap + calibration.nll * nll)))
}
