import { kindOf } from '../../node/src/environments/builtIn.ts'
import type { EnvironmentSpec } from '../../node/src/environments/environmentSpec.ts'
import type { Poison } from './openSwarm.ts'
import { poisons } from './poisons.ts'

/** One arm of an experiment: the learning of a swarm's peers, and the poison that every fourth of them gives. */
export type Arm = {
  name: string
  /** Title in the table. */
  title: string
  spec: (starter: EnvironmentSpec) => EnvironmentSpec
  poison?: Poison
}

const alone = { peers: 0 }
const mixed = (own: number, external: number): Changes => ({
  training: { ownGroups: own },
  sharing: { mode: 'mixed', externalGroups: external },
})

/** In order of execution, the most informative ones first. */
export const arms: readonly Arm[] = [
  arm('solo', 'alone', { sharing: alone }),
  arm('sharing', 'sharing, an update for each peer', {}),
  arm('solo-updates', 'alone, with as many updates', { sharing: alone, training: { ownUpdates: 4 } }),
  arm('solo-filtered', 'alone, 16 answers a task, the 4 with the most signal', {
    sharing: alone,
    groupSize: 16,
    training: { answersPerGroup: 4 },
  }),
  arm('sharing-twice', 'sharing, two updates for each peer', {
    training: { ownUpdates: 2 },
    sharing: { updatesPerPeer: 2 },
  }),
  arm('solo-eight', 'alone, with as many updates as those', { sharing: alone, training: { ownUpdates: 8 } }),
  arm('sharing-half', 'sharing, half of the generation', { tasksPerRound: 4 }),
  arm('sharing-poisoned', 'sharing, one of four poisons', {}, 'plausible'),
  arm('mixed-4-4', '4 own and 4 external groups in one update', mixed(4, 4)),
  arm('mixed-6-2', '6 own and 2 external groups in one update', mixed(6, 2)),
  arm('mixed-2-6', '2 own and 6 external groups in one update', mixed(2, 6)),
]

type Changes = {
  [Part in 'training' | 'sharing']?: Partial<EnvironmentSpec[Part]>
} & Partial<Pick<EnvironmentSpec, 'tasksPerRound' | 'groupSize'>>

function arm(name: string, title: string, changes: Changes, poison?: keyof typeof poisons): Arm {
  // Not `parseSpec`: an experiment has no commitments, and arms of other sizes keep the starter's `owedLeaves`, by which their kept runs are named.
  const spec = ({ training, sharing, ...starter }: EnvironmentSpec) =>
    kindOf(starter).schema.parse({
      ...starter,
      ...changes,
      training: { ...training, ...changes.training },
      sharing: { ...sharing, ...changes.sharing },
    })
  return { name, title, spec, ...(poison && { poison: poisons[poison] }) }
}
