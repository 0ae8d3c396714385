import { balancedAccuracyOf, type Confusion, confusionNames } from '#environments/judgeFigures.ts'
import type { Scalars } from '../metrics/eventFile.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'
import type { JudgeCounts, JudgedCanary } from '../roleCounts.ts'

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
  for (const name of confusionNames) {
    const key = `${judged[name]} ${executed[name]}` as const
    counts.set(key, (counts.get(key) ?? 0) + found[name])
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
