import type { RepeatedTask } from '#chain/challengeTasks.ts'
import { leavesOf, rootOf, taskHeaders } from '#core/bodies.ts'
import { merkleProof } from '#core/merkle.ts'
import type { CommittedTasks } from '../admitTasks.ts'

/** The first task that stands in two places of a bundle, and so would be drawn twice as often; null where all differ. */
export function findRepeatedTask({ bundle, contentId }: CommittedTasks): RepeatedTask | null {
  const headers = taskHeaders(bundle)
  const hashes = headers.map(({ taskHash }) => taskHash)
  const at = hashes.findIndex((hash, index) => hashes.indexOf(hash) < index)
  const second = headers[at]
  const first = headers[hashes.indexOf(second?.taskHash ?? '0x')]
  if (first === undefined || second === undefined) return null
  const leaves = leavesOf(bundle)
  return {
    tasks: { root: rootOf(bundle), count: headers.length, contentId },
    first,
    firstProof: merkleProof(leaves, first.index),
    second,
    secondProof: merkleProof(leaves, second.index),
  }
}
