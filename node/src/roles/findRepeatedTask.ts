import type { RepeatedTask } from '#chain/challengeTasks.ts'
import { taskHeader } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { proofIn } from '#core/merkle.ts'
import type { CommittedTasks } from './admitTasks.ts'

/** The first task that stands in two places of a bundle, and so would be drawn twice as often; null where all differ. */
export function findRepeatedTask({
  bundle,
  tree,
  contentId,
}: CommittedTasks & { tree: readonly Hex[] }): RepeatedTask | null {
  const { tasks } = bundle
  // What a task's hash is of.
  const identities = tasks.map(({ level, text }) => `${level} ${text}`)
  const firstAt = new Map([...identities.entries()].reverse().map(([at, identity]) => [identity, at]))
  const secondAt = identities.findIndex((identity, at) => firstAt.get(identity) !== at)
  const second = tasks[secondAt]
  const first = tasks[firstAt.get(identities[secondAt] ?? '') ?? -1]
  if (first === undefined || second === undefined) return null
  return {
    tasks: { root: tree[0] as Hex, count: tasks.length, contentId },
    first: taskHeader(bundle, first),
    firstProof: proofIn(tree, first.index),
    second: taskHeader(bundle, second),
    secondProof: proofIn(tree, second.index),
  }
}
