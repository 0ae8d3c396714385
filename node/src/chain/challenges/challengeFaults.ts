import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { LeafHeader } from '#core/payloads/leaf.ts'
import type { Contracts } from '../contracts.ts'
import type { RolloutCommitment } from '../work/commitments.ts'

/** A leaf with a false header, its commitment, and the proof of inclusion. */
export type FalseLeaf = { header: LeafHeader; commitment: RolloutCommitment; proof: readonly Hex[] }

/** Reports a false leaf to the chain, after its round and before finality. */
export function challengeLeaf({ challenges }: Contracts, { header, commitment, proof }: FalseLeaf): OutboxIntent {
  const { round, peerKey, index, taskHash, policyHash, seed, bodyHash } = header
  const { root, count, contentId } = commitment
  const work = { root, leafCount: count, policyHash: commitment.policyHash, contentId }
  const leaf = { index, taskHash, policyHash, seed, bodyHash }
  const args = [BigInt(round), peerKey, work, leaf, proof] as const
  return {
    // One false leaf is enough for a peer and round.
    key: `challenge-leaf:${round}:${peerKey}`,
    to: challenges.address,
    data: encodeFunctionData({ abi: challenges.abi, functionName: 'challengeLeaf', args }),
    fromRound: round + phase.voting,
    throughRound: round + phase.settling,
  }
}

/** A proposer that committed to a secret for a round and proposed nothing. */
export type WithheldSecret = { round: number; peerKey: PeerKey }

/** Reports it to the chain, while that stores the secret's hash: a hundredth of the proposer's stake is burnt. */
export function challengeSecret({ openings }: Contracts, { round, peerKey }: WithheldSecret): OutboxIntent {
  return {
    key: `challenge-secret:${round}:${peerKey}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'challengeSecret', args: [BigInt(round), peerKey] }),
    fromRound: round,
    throughRound: round + phase.paying,
  }
}
