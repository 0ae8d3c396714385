import type { CheckedGroup } from '../draws/checkRollouts.ts'
import type { LearnedRound } from './learnRound.ts'

/** What a solver keeps of a round in its journal, for its operator. */
export type SolverReport = LearnedRound & {
  tasks: number
  rollouts: number
  /** Places of the round's proposals that hold no task that counts, by the reason. */
  skippedPlaces: Record<string, number>
  seconds: number
  /** Why the policy is not paid, whatever it answers; absent where it is. */
  unpaid?: string
  /** Of a solver whose answers a server samples: by which policy, as far as the server took what it was given. */
  sampledBy?: 'this policy' | 'an older policy'
}

type Played = Pick<SolverReport, 'tasks' | 'skippedPlaces' | 'seconds'> & {
  answered: Pick<LearnedRound, 'refused'> & Pick<SolverReport, 'sampledBy'> & { groups: readonly CheckedGroup[] }
  learned: LearnedRound
  /** Null for a policy that is paid. */
  unpaid: string | null
}

/** What a solver did in a round. */
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
