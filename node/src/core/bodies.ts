import type { Hex } from './hex.ts'
import { merkleTree } from './merkle.ts'
import { type RolloutBundle, rolloutLeaves } from './rolloutBundle.ts'
import { type TaskBundle, taskLeaves } from './taskBundle.ts'

export * from './bodyFields.ts'
export * from './canaryBundle.ts'
export * from './rolloutBundle.ts'
export * from './scoreSheet.ts'
export * from './taskBundle.ts'

/** The leaves that a commitment to this bundle covers, in order. */
export function leavesOf(bundle: TaskBundle | RolloutBundle): Hex[] {
  return 'tasks' in bundle ? taskLeaves(bundle) : rolloutLeaves(bundle)
}

/** The Merkle tree that a commitment to this bundle carries the root of: its nodes, the root first. */
export function treeOf(bundle: TaskBundle | RolloutBundle): Hex[] {
  return merkleTree(leavesOf(bundle))
}

/** The Merkle root that a commitment to this bundle carries. */
export function rootOf(bundle: TaskBundle | RolloutBundle): Hex {
  return treeOf(bundle)[0] as Hex
}
