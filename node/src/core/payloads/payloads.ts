import type { LeafHash, Root } from '../hashes.ts'
import type { Hex } from '../hex.ts'
import { merkleTree } from '../merkle.ts'
import { type RolloutBundle, rolloutLeaves } from './rolloutBundle.ts'

export * from './canaryBundle.ts'
export * from './payloadFields.ts'
export * from './rolloutBundle.ts'
export * from './scoreSheet.ts'

/** The leaves that a commitment to this bundle covers, in order. */
export function leavesOf(bundle: RolloutBundle): LeafHash[] {
  return rolloutLeaves(bundle)
}

/** The Merkle tree that a commitment to this bundle carries the root of: its nodes, the root first. */
export function treeOf(bundle: RolloutBundle): Hex[] {
  return merkleTree(leavesOf(bundle))
}

/** The Merkle root that a commitment to this bundle carries. */
export function rootOf(bundle: RolloutBundle): Root {
  return treeOf(bundle)[0] as Hex
}
