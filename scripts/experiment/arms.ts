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

const alone = { peers: 0, updatesPerPeer: undefined }
const mixed = (own: number, external: number): Changes => ({
  training: { ownGroups: own, ownUpdates: 1 },
  sharing: { mode: 'mixed', externalGroups: external, updatesPerPeer: undefined },
})

/** In order of execution, the most informative ones first. */
export const arms: readonly Arm[] = [
  arm('solo', 'alone', { sharing: alone }),
  arm('sharing', 'sharing, two updates for each peer', {}),
  arm('solo-updates', 'alone, with as many updates', { sharing: alone, training: { ownUpdates: 8 } }),
  arm('solo-filtered', 'alone, 16 answers a task, the 4 with the most signal', {
    sharing: alone,
    groupSize: 16,
    training: { answersPerGroup: 4 },
  }),
  arm('solo-four', 'alone, with four updates', { sharing: alone, training: { ownUpdates: 4 } }),
  arm('sharing-once', 'sharing, one update for each peer', {
    training: { ownUpdates: 1 },
    sharing: { updatesPerPeer: undefined },
  }),
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
      // A field that a change leaves out has no value, not that of the starter.
      sharing: defined({ ...sharing, ...changes.sharing }),
    })
  return { name, title, spec, ...(poison && { poison: poisons[poison] }) }
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
