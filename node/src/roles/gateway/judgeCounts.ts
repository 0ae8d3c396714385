import type { Confusion } from '#environments/judgeFigures.ts'

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

/** Answers by what the judge called them and what execution showed: `right wrong` is one that the judge alone calls right. */
export type JudgeCounts = Map<`${'right' | 'wrong'} ${'right' | 'wrong'}`, number>

export function countJudged(counts: JudgeCounts, found: Confusion): void {
  for (const name of ['truePositives', 'falsePositives', 'falseNegatives', 'trueNegatives'] as const) {
    const key = `${judged[name]} ${executed[name]}` as const
    counts.set(key, (counts.get(key) ?? 0) + found[name])
  }
}
