import type { Level } from '../../node/src/environments/codezero/curriculum/task.ts'

/** Weights by which levels are drawn: the solver learns all, the judge mostly level 3, at which it is measured. */
export const solverLevels: readonly (readonly [Level, number])[] = [
  [1, 0.12],
  [2, 0.2],
  [3, 0.43],
  [4, 0.15],
  [5, 0.1],
]
export const judgeLevels: readonly (readonly [Level, number])[] = [
  [1, 0.12],
  [2, 0.14],
  [3, 0.54],
  [4, 0.12],
  [5, 0.08],
]
export const proposalLevels: readonly (readonly [Level, number])[] = [
  [1, 0.15],
  [2, 0.2],
  [3, 0.25],
  [4, 0.2],
  [5, 0.2],
]
