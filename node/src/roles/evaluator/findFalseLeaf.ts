import type { FalseLeaf } from '#chain/challengeLeaf.ts'
import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { leavesOf, type RolloutBundle, rolloutHeaders } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { merkleProof } from '#core/merkle.ts'
import { roundSeed } from '../roundSeed.ts'

/**
 * The first leaf of a bundle that the chain can see to be false by its header: sampled with another seed than the beacon
 * drew, or by another policy than the one committed to.
 *
 * @param bundle - the one behind the commitment.
 * @param beacon - of the round before.
 */
export function findFalseLeaf(bundle: RolloutBundle, commitment: RolloutCommitment, beacon: Hex): FalseLeaf | null {
  const seed = roundSeed('rollout', bundle.chainId, bundle.round, beacon, bundle.peerKey)
  const headers = rolloutHeaders(bundle)
  const at = headers.findIndex(header => header.seed !== seed || header.policyHash !== commitment.policyHash)
  const header = headers[at]
  return header === undefined ? null : { header, commitment, proof: merkleProof(leavesOf(bundle), at) }
}
