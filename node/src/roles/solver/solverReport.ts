import type { CheckedGroup } from '../draws/checkRollouts.ts'
import type { LearnedRound } from './learnRound.ts'

/** A solver's report of a round in its journal, for its operator. */
export type SolverReport = LearnedRound & {
  tasks: number
  rollouts: number
  /** Places of the round's proposals without a valid task, by reason. */
  skippedPlaces: Record<string, number>
  seconds: number
  /** Reason why the policy is not paid; absent if it is paid. */
  unpaid?: string
  /** Policy that a server sampled with, if a server samples and took the policy. */
  sampledBy?: 'this policy' | 'an older policy'
}

type Played = Pick<SolverReport, 'tasks' | 'skippedPlaces' | 'seconds'> & {
  answered: Pick<LearnedRound, 'refused'> & Pick<SolverReport, 'sampledBy'> & { groups: readonly CheckedGroup[] }
  learned: LearnedRound
  /** Null for a policy that is paid. */
  unpaid: string | null
}

/** Builds a solver's report of a round. */
export function solverReport({ answered, learned, unpaid, ...played }: Played): SolverReport {
  return {
    ...played,
    rollouts: answered.groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0),
    ...learned,
    refused: { ...learned.refused, ...answered.refused },
    ...(unpaid === null ? {} : { unpaid }),
    ...(answered.sampledBy === undefined ? {} : { sampledBy: answered.sampledBy }),
  }
}
