import type { Beacon, PeerKey } from '#core/hashes.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { AdmittedTask, TaskPlace } from './admitTasks.ts'
import { randomOrder } from './drawIndices.ts'
import { roundSeed } from './roundSeed.ts'

export type DrawRules = {
  spec: Pick<EnvironmentSpec, 'tasksPerRound'>
  /** Places of tasks that follow from the beacon, then of proposed ones, by proposer and index. */
  places: readonly TaskPlace[]
  /** Of the round before: from it follow the tasks and the seed of each peer. */
  beacon: Beacon
}

/**
 * The tasks that a solver has to answer in a round: places are drawn, not chosen, so that easy tasks cannot be picked.
 *
 * A place that holds no task that counts passes its draw to the next one of the same random order, so that it is worth the same to all
 * other places, and leaves the other draws as they are. Where none is left, fewer tasks are owed.
 */
export function drawTasks(
  chainId: number,
  round: number,
  peerKey: PeerKey,
  { spec, places, beacon }: DrawRules,
): AdmittedTask[] {
  const drawn: TaskPlace[] = []
  for (const at of randomOrder(places.length, roundSeed('draw', chainId, round, beacon, peerKey))) {
    const task = places[at] ?? null
    const gap = drawn.indexOf(null)
    if (drawn.length < spec.tasksPerRound) drawn.push(task)
    else if (gap < 0) break
    else if (task !== null) drawn[gap] = task
  }
  return drawn.filter(task => task !== null)
}
