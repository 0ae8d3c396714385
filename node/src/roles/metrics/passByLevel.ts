import { type Estimate, meanWithInterval, passAtK } from '#rl/passAtK.ts'

/** The judge's scores of answers to some tasks. */
export type PassFigures = {
  tasks: number
  /** Answers to each task, at least. */
  samples: number
  /** Mean predicted correctness of the answers, with a 95 % interval over tasks. */
  averageAtK: Estimate
  /** Chance that one answer is right, by the judge at one half, with a 95 % interval over tasks. */
  passAt1: Estimate
  /** Chance that one of `samples` answers is. */
  passAtK: Estimate
}

/** Figures of the tasks of one level. */
export type LevelFigures = PassFigures & { level: number }

/** Figures of the tasks of one proposer, or of one dataset if the proposer proposes from a dataset. */
export type ProposerFigures = PassFigures & { proposer: string }

/** Figures of the tasks of one family of the environment. */
export type FamilyFigures = PassFigures & { family: string }

/** Figures of the tasks of one dataset, if the solver was given datasets. */
export type DatasetFigures = PassFigures & { dataset: string }

/** Figures of the answers of one peer; `own` for the solver itself. */
export type PeerFigures = PassFigures & { peer: string }

type Of<Task> = { readonly task: Task; readonly correctness: readonly number[] }

/** Figures of groups by the level of their tasks, lowest first. Groups without answers say nothing. */
export function passByLevel(groups: readonly Of<{ readonly level: number }>[]): LevelFigures[] {
  return figuresBy(groups, ({ task }) => task.level)
    .map(([level, figures]) => ({ level, ...figures }))
    .sort((one, other) => one.level - other.level)
}

/** The same by the proposer of their tasks; tasks that the beacon draws have the zero hash. */
export function passByProposer(
  groups: readonly Of<{ readonly ref: { readonly peerKey: string } }>[],
): ProposerFigures[] {
  return figuresBy(groups, ({ task }) => task.ref.peerKey).map(([proposer, figures]) => ({ proposer, ...figures }))
}

/** The same by the family of their tasks, in the order of the alphabet; tasks without one are left out. */
export function passByFamily(
  groups: readonly (Of<unknown> & { readonly family?: string | undefined })[],
): FamilyFigures[] {
  return figuresBy(groups, ({ family }) => family)
    .flatMap(([family, figures]) => (family === undefined ? [] : [{ family, ...figures }]))
    .sort((one, other) => (one.family < other.family ? -1 : 1))
}

/** The same by the dataset of their tasks; tasks of no dataset that is known here are left out. */
export function passByDataset(
  groups: readonly (Of<unknown> & { readonly dataset?: string | undefined })[],
): DatasetFigures[] {
  return figuresBy(groups, ({ dataset }) => dataset).flatMap(([dataset, figures]) =>
    dataset === undefined ? [] : [{ dataset, ...figures }],
  )
}

/** The same by the peer that sampled the answers. */
export function passByPeer(
  groups: readonly (Of<unknown> & { readonly peerKey?: string | undefined })[],
): PeerFigures[] {
  return figuresBy(groups, ({ peerKey }) => peerKey ?? 'own').map(([peer, figures]) => ({ peer, ...figures }))
}

function figuresBy<Group extends Of<unknown>, Key>(
  groups: readonly Group[],
  keyOf: (group: Group) => Key,
): [Key, PassFigures][] {
  const answered = groups.filter(({ correctness }) => correctness.length > 0)
  return [...Map.groupBy(answered, keyOf)].map(([key, those]) => [key, figuresOf(those)])
}

function figuresOf(groups: readonly Of<unknown>[]): PassFigures {
  const samples = Math.min(...groups.map(({ correctness }) => correctness.length))
  const over = (figureOf: (correctness: readonly number[]) => number) =>
    meanWithInterval(
      groups.map(({ correctness }) => figureOf(correctness)),
      samples,
    )
  const pass = (k: number) =>
    over(correctness => passAtK(correctness.length, correctness.filter(p => p > 0.5).length, k))
  const averageAtK = over(correctness => correctness.reduce((sum, p) => sum + p, 0) / correctness.length)
  return { tasks: groups.length, samples, averageAtK, passAt1: pass(1), passAtK: pass(samples) }
}
