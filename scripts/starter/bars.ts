import type { Accuracy } from './balancedAccuracy.ts'

/** Sets that the judge is measured on at other levels than 3. */
export type OtherLevelSet = 'level1' | 'level2' | 'level4' | 'level5' | 'miscalculatedLevel1'

/** Results of the stages after export. */
export type Report = {
  solving: Record<string, { sampled: number; greedy: number }>
  judging: Record<
    'nearMisses' | 'otherSpelling' | 'samplesBefore' | 'randomDamage' | 'miscalculated' | 'unseenForms' | OtherLevelSet,
    Accuracy
  >
  proposing: {
    sampled: number
    wellFormed: number
    admitted: number
    notUnderstood: number
    heldOut: number
    anotherLevel: number
    distinctTexts: number
    rightTests: number
  }
  sharing: { before: number; after: number[]; firstReward: number; lastReward: number; samplesAfter: Accuracy }
}

export type Bar = { what: string; bar: string; measured: number; holds: boolean }

/** The bars that starter models must reach, with what was measured. */
export function barsOf({ solving, judging, proposing, sharing }: Report): Bar[] {
  const level3 = solving['3'] ?? { sampled: 0, greedy: 0 }
  const gains = sharing.after.map(rate => rate - sharing.before)
  const atLeast = (what: string, measured: number, least: number): Bar => ({
    ...{ what, bar: `at least ${least.toFixed(2)}`, measured: Number(measured.toFixed(3)) },
    holds: measured >= least - 1e-9,
  })
  const judged = (what: string, accuracy: Accuracy) =>
    atLeast(`judge, balanced accuracy: ${what}`, accuracy.balanced, 0.9)
  return [
    {
      what: 'solver, level 3, sampled',
      bar: '0.30 to 0.60',
      measured: level3.sampled,
      holds: level3.sampled >= 0.3 && level3.sampled <= 0.6,
    },
    { what: 'solver, level 3, greedy', bar: 'at most 0.80', measured: level3.greedy, holds: level3.greedy <= 0.8 },
    judged('level 3', judging.nearMisses),
    judged('level 1', judging.level1),
    judged('level 1, one calculation changed', judging.miscalculatedLevel1),
    judged('level 2', judging.level2),
    judged('level 4', judging.level4),
    judged('level 5', judging.level5),
    judged('another spelling, unseen names', judging.otherSpelling),
    judged('samples of the solver', judging.samplesBefore),
    judged('samples after training against it', sharing.samplesAfter),
    atLeast('proposals well-formed', proposing.wellFormed, 0.9),
    atLeast('shared training, gain in pass@1, mean', gains.reduce((sum, gain) => sum + gain, 0) / gains.length, 0.15),
    atLeast('shared training, gain in pass@1, least', Math.min(...gains), 0.1),
    atLeast('shared training, gain in reward', sharing.lastReward - sharing.firstReward, 0.1),
  ]
}
