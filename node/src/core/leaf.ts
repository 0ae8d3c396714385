import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from './hex.ts'

/** What binds one rollout (or one proposed task) to its place: chain, round, peer and position. */
export type LeafHeader = {
  chainId: number
  round: number
  /** keccak-256 of the peer id. */
  peerKey: Hex
  /** Position in the bundle: a sorted-pair proof proves none. */
  index: number
  taskHash: Hex
  policyHash: Hex
  seed: Hex
  /** sha-256 of the body's canonical encoding. */
  bodyHash: Hex
}

const leafParameters = [
  { type: 'uint256' },
  { type: 'uint64' },
  { type: 'bytes32' },
  { type: 'uint32' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const

/**
 * The hash that a commitment's Merkle tree holds, as `RolloutCommitments.leafOf` computes it.
 *
 * Hashed twice, so that no inner node of a tree can be passed off as a leaf.
 */
export function leafHash(header: LeafHeader): Hex {
  const { chainId, round, peerKey, index, taskHash, policyHash, seed, bodyHash } = header
  const encoded = encodeAbiParameters(leafParameters, [
    BigInt(chainId),
    BigInt(round),
    peerKey,
    index,
    taskHash,
    policyHash,
    seed,
    bodyHash,
  ])
  return keccak256(keccak256(encoded))
}
