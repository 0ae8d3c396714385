import { type Estimate, meanWithInterval, passAtK } from '#rl/passAtK.ts'

/** What the judge says of the answers to tasks of one level. */
export type LevelFigures = {
  level: number
  tasks: number
  /** Answers to each task, at least. */
  samples: number
  /** Mean predicted correctness of the answers. */
  averageAtK: number
  /** Chance that one answer is right, by the judge at one half, with a 95 % interval over tasks. */
  passAt1: Estimate
  /** Chance that one of `samples` answers is. */
  passAtK: Estimate
}

type Answered = { readonly task: { readonly level: number }; readonly correctness: readonly number[] }

/** Figures of groups by the level of their tasks, lowest first. Groups without answers say nothing. */
export function passByLevel(groups: readonly Answered[]): LevelFigures[] {
  const answered = groups.filter(({ correctness }) => correctness.length > 0)
  const levels = [...Map.groupBy(answered, ({ task }) => task.level)].sort(([one], [other]) => one - other)
  return levels.map(([level, ofLevel]) => {
    const samples = Math.min(...ofLevel.map(({ correctness }) => correctness.length))
    const pass = (k: number) =>
      meanWithInterval(
        ofLevel.map(({ correctness }) => passAtK(correctness.length, correctness.filter(p => p > 0.5).length, k)),
        samples,
      )
    const all = ofLevel.flatMap(({ correctness }) => correctness)
    const averageAtK = all.reduce((sum, p) => sum + p, 0) / all.length
    return { level, tasks: ofLevel.length, samples, averageAtK, passAt1: pass(1), passAtK: pass(samples) }
  })
}
