import { addBins, balancedAccuracyOf, type Confusion, distanceOf } from '#environments/judgeFigures.ts'
import type { Scalars } from '../metrics/eventFile.ts'
import type { JudgeCounts, JudgedCanary } from '../roleCounts.ts'
import type { CanaryPoint } from './measureCanary.ts'

const names = ['truePositives', 'falsePositives', 'falseNegatives', 'trueNegatives'] as const

const executed = {
  truePositives: 'right',
  falsePositives: 'wrong',
  falseNegatives: 'right',
  trueNegatives: 'wrong',
} as const
const judged = {
  truePositives: 'right',
  falsePositives: 'right',
  falseNegatives: 'wrong',
  trueNegatives: 'wrong',
} as const

export function countJudged(counts: JudgeCounts, found: Confusion): void {
  for (const name of names) {
    const key = `${judged[name]} ${executed[name]}` as const
    counts.set(key, (counts.get(key) ?? 0) + found[name])
  }
}

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
  const counts = Object.fromEntries(names.map(name => [name, sum(({ judge }) => judge[name])])) as Confusion
  const answers = sum(({ samples }) => samples)
  const distance = distanceOf(addBins(newest.flatMap(({ judge }) => (judge.bins ? [judge.bins] : []))))
  const withoutBins = sum(({ samples, judge }) => (judge.bins ? 0 : samples * judge.calibrationError))
  const calibrationError = (distance + withoutBins) / Math.max(1, answers)
  return {
    ...{ round, solvers: newest.length, answers, ...counts },
    ...{ balancedAccuracy: balancedAccuracyOf(counts), calibrationError },
  }
}

/** The points of the newest round, with one more: those of earlier rounds are dropped. */
export function withNewest<Point extends JudgedCanary>(points: readonly Point[], point: Point): readonly Point[] {
  const all = [...points, point]
  const round = Math.max(...all.map(one => one.round))
  return all.filter(one => one.round === round)
}

/** A canary's figures as curves of its solver. */
export function canaryScalars({ name, reward, passAt1, predicted, judge, families = [] }: CanaryPoint): Scalars {
  const of = (figures: object) =>
    Object.entries(figures)
      .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
      .map(([figure, value]) => [`canary ${name}/${figure}`, value] as const)
  const judged = judge && { ...judge, balancedAccuracy: balancedAccuracyOf(judge) }
  const ofFamilies = families.map(({ family, samples, passed }) => [`pass@1 of ${family}`, passed / samples])
  return Object.fromEntries([
    ...of({ reward, predicted, 'pass@1': passAt1 }),
    ...of(judged ?? {}),
    ...of(Object.fromEntries(ofFamilies)),
  ])
}
