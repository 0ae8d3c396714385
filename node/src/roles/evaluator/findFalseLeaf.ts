import type { FalseLeaf } from '#chain/challenges/challengeFaults.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon } from '#core/hashes.ts'
import { proofIn } from '#core/merkle.ts'
import type { OpenedPayload } from '#core/payloads/payloadOperations.ts'
import { type RolloutBundle, rolloutLeaf } from '#core/payloads/payloads.ts'
import { roundSeed } from '../draws/roundSeed.ts'

/**
 * The first leaf of a bundle that the chain can see to be false by its header: sampled with another seed than the beacon
 * drew, or by another policy than the one committed to.
 *
 * @param opened - the bundle behind the commitment.
 * @param beacon - of the round before.
 */
export function findFalseLeaf(
  { payload: bundle, tree }: OpenedPayload<RolloutBundle>,
  commitment: RolloutCommitment,
  beacon: Beacon,
): FalseLeaf | null {
  const seed = roundSeed('rollout', bundle.chainId, bundle.round, beacon, bundle.peerKey)
  const isHonest = bundle.policyHash === commitment.policyHash
  const rollouts = bundle.groups.flatMap(group => group.rollouts)
  const at = rollouts.findIndex(rollout => !isHonest || rollout.seed !== seed)
  const leaf = rolloutLeaf(bundle, at)
  return leaf === undefined ? null : { header: leaf.header, commitment, proof: proofIn(tree, at) }
}
