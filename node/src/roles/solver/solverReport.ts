import type { LearnedRound } from './learnRound.ts'

/** What a solver keeps of a round in its journal, for its operator. */
export type SolverReport = LearnedRound & {
  tasks: number
  rollouts: number
  seconds: number
  /** Why the policy is not paid, whatever it answers; absent where it is. */
  unpaid?: string
}
