import { addBins, balancedAccuracyOf, type Confusion, confusionNames, distanceOf } from '#environments/judgeFigures.ts'
import type { JudgedCanary } from '../roleCounts.ts'

/** Agreement of the judge with execution over the canaries of a round. */
export type RoundAgreement = Confusion & {
  round: number
  solvers: number
  answers: number
  /** Null without right or without wrong answers. */
  balancedAccuracy: number | null
  /** Of all answers together: the few of one solver fill no bin, and would look miscalibrated by chance. */
  calibrationError: number
}

/** Agreement on the newest round with measured canaries; null if there is none. */
export function newestAgreement(points: readonly JudgedCanary[]): RoundAgreement | null {
  const judged = points.flatMap(({ round, samples, judge }) => (judge ? [{ round, samples, judge }] : []))
  const round = Math.max(-1, ...judged.map(point => point.round))
  if (round < 0) return null
  const newest = judged.filter(point => point.round === round)
  const sum = (of: (point: (typeof newest)[number]) => number) => newest.reduce((total, one) => total + of(one), 0)
  const counts = Object.fromEntries(confusionNames.map(name => [name, sum(({ judge }) => judge[name])])) as Confusion
  const answers = sum(({ samples }) => samples)
  const distance = distanceOf(addBins(newest.flatMap(({ judge }) => (judge.bins ? [judge.bins] : []))))
  const withoutBins = sum(({ samples, judge }) => (judge.bins ? 0 : samples * judge.calibrationError))
  const calibrationError = (distance + withoutBins) / Math.max(1, answers)
  return {
    ...{ round, solvers: newest.length, answers, ...counts },
    ...{ balancedAccuracy: balancedAccuracyOf(counts), calibrationError },
  }
}
