import { type Estimate, meanWithInterval, passAtK } from '#rl/passAtK.ts'

/** What the judge says of the answers to some tasks. */
export type PassFigures = {
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

/** Of tasks of one level. */
export type LevelFigures = PassFigures & { level: number }

/** Of tasks of one proposer: of one that proposes from a dataset, of that dataset. */
export type ProposerFigures = PassFigures & { proposer: string }

type Of<Task> = { readonly task: Task; readonly correctness: readonly number[] }

/** Figures of groups by the level of their tasks, lowest first. Groups without answers say nothing. */
export function passByLevel(groups: readonly Of<{ readonly level: number }>[]): LevelFigures[] {
  return figuresBy(groups, ({ level }) => level)
    .map(([level, figures]) => ({ level, ...figures }))
    .sort((one, other) => one.level - other.level)
}

/** The same by the proposer of their tasks; tasks that the beacon draws have the zero hash. */
export function passByProposer(
  groups: readonly Of<{ readonly ref: { readonly peerKey: string } }>[],
): ProposerFigures[] {
  return figuresBy(groups, ({ ref }) => ref.peerKey).map(([proposer, figures]) => ({ proposer, ...figures }))
}

function figuresBy<Task, Key>(groups: readonly Of<Task>[], keyOf: (task: Task) => Key): [Key, PassFigures][] {
  const answered = groups.filter(({ correctness }) => correctness.length > 0)
  return [...Map.groupBy(answered, ({ task }) => keyOf(task))].map(([key, those]) => [key, figuresOf(those)])
}

function figuresOf(groups: readonly Of<unknown>[]): PassFigures {
  const samples = Math.min(...groups.map(({ correctness }) => correctness.length))
  const pass = (k: number) =>
    meanWithInterval(
      groups.map(({ correctness }) => passAtK(correctness.length, correctness.filter(p => p > 0.5).length, k)),
      samples,
    )
  const all = groups.flatMap(({ correctness }) => correctness)
  const averageAtK = all.reduce((sum, p) => sum + p, 0) / all.length
  return { tasks: groups.length, samples, averageAtK, passAt1: pass(1), passAtK: pass(samples) }
}
