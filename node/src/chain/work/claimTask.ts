import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { LeafHeader } from '#core/payloads/leaf.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { RolloutCommitment } from './commitments.ts'

/** Proof that a drawn leaf answers a proposer's task: the leaf's header, under the committed root, and the task's place. */
export type TaskAnswered = {
  shard: number
  commitment: RolloutCommitment
  leaf: LeafHeader
  leafProof: readonly Hex[]
  proposerKey: PeerKey
  taskIndex: number
}

/** Pays a task to its proposer, in the fifth round after its own. */
export function claimTask({ openings }: Contracts, answered: TaskAnswered): OutboxIntent {
  const { shard, commitment, leaf, leafProof, proposerKey, taskIndex } = answered
  const { root, count, policyHash, contentId, peerKey } = commitment
  const claim = {
    round: BigInt(leaf.round),
    shard,
    peerKey,
    work: { root, leafCount: count, policyHash, contentId },
    leaf,
    leafProof,
    proposerKey,
    taskIndex,
  }
  return {
    key: `claim-task:${leaf.round}:${shard}:${proposerKey}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'claimTask', args: [claim] }),
    fromRound: leaf.round + phase.paying,
    throughRound: leaf.round + phase.paying,
  }
}

/** The leaf on which the openings of a shard agree; null if they do not. */
export async function readAgreedLeaf(
  { rpc, rpcUrl }: ChainClient,
  { openings }: Contracts,
  round: number,
  shard: number,
): Promise<{ index: number; medianMilli: number } | null> {
  const args = [BigInt(round), shard] as const
  const [index, medianMilli] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...openings, functionName: 'agreedOf', args }),
  )
  return medianMilli > 1000 ? null : { index, medianMilli }
}
