/** What a solver keeps of a round in its journal, for its operator. */
export type SolverReport = {
  tasks: number
  rollouts: number
  /** Groups of other peers that were trained on. */
  taken: number
  /** Updates that changed the policy. */
  updates: number
  /** Groups that were not, own ones included, by the reason. */
  refused: Record<string, number>
  /** Mean composite score of the own answers, by the solver's own copy of the judge. */
  meanReward: number
  /** Mean predicted correctness of the own answers. */
  averageAtK: number
  seconds: number
  /** Why the policy is not paid, whatever it answers; absent where it is. */
  unpaid?: string
}
