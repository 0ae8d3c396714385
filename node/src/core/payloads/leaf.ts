import type { BodyHash, LeafHash, PeerKey, PolicyHash, Seed, TaskHash } from '../hashes.ts'
import { abiWords, leafKeccak } from '../keccak.ts'

/** Binds a rollout (or a proposed task) to its place: chain, round, peer and position. */
export type LeafHeader = {
  chainId: number
  round: number
  /** keccak-256 of the peer id. */
  peerKey: PeerKey
  /** Position in the bundle: a sorted-pair proof proves none. */
  index: number
  taskHash: TaskHash
  policyHash: PolicyHash
  seed: Seed
  /** sha-256 of the body's canonical encoding. */
  bodyHash: BodyHash
}

/**
 * The hash that a commitment's Merkle tree holds, as `RolloutCommitments.leafOf` computes it.
 */
export function leafHash(header: LeafHeader): LeafHash {
  const { chainId, round, peerKey, index, taskHash, policyHash, seed, bodyHash } = header
  return leafKeccak(abiWords([chainId, round, peerKey, index, taskHash, policyHash, seed, bodyHash]))
}
