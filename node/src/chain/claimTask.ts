import { encodeFunctionData } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { LeafHeader } from '#core/leaf.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import type { RolloutCommitment, TaskCommitment } from './readCommitments.ts'

/** That a drawn leaf answers a task of this proposer: both headers, under the roots that were committed. */
export type TaskAnswered = {
  shard: number
  commitment: RolloutCommitment
  leaf: LeafHeader
  leafProof: readonly Hex[]
  tasks: TaskCommitment
  task: LeafHeader
  taskProof: readonly Hex[]
}

/** Claims the pay for a task, in the fifth round after its own. */
export function claimTask({ openings }: Contracts, answered: TaskAnswered): OutboxIntent {
  const { shard, commitment, leaf, leafProof, tasks, task, taskProof } = answered
  const { root, count, policyHash, contentId, peerKey } = commitment
  const claim = {
    round: BigInt(leaf.round),
    shard,
    peerKey,
    work: { root, leafCount: count, policyHash, contentId },
    leaf,
    leafProof,
    proposerKey: tasks.peerKey,
    tasks: { root: tasks.root, count: tasks.count, contentId: tasks.contentId },
    task,
    taskProof,
  }
  return {
    key: `claim-task:${leaf.round}:${shard}:${tasks.peerKey}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'claimTask', args: [claim] }),
    fromRound: leaf.round + 5,
    throughRound: leaf.round + 5,
  }
}

/** Pays the claim on a task, from the sixth round after its own on. */
export function payTask({ openings }: Contracts, round: number, shard: number): OutboxIntent {
  return {
    key: `pay-task:${round}:${shard}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'payTask', args: [BigInt(round), shard] }),
    fromRound: round + 6,
    throughRound: null,
  }
}

/** The leaf on which the openings of a shard agree; null where they do not. */
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

/** The proposer with the claim on a shard's task that is not paid yet; null where there is none. */
export async function readTaskClaim(
  { rpc, rpcUrl }: ChainClient,
  { openings }: Contracts,
  round: number,
  shard: number,
): Promise<{ proposerKey: Hex; amountWei: bigint } | null> {
  const args = [BigInt(round), shard] as const
  const [proposerKey, amountWei] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...openings, functionName: 'taskClaimOf', args }),
  )
  return amountWei === 0n ? null : { proposerKey, amountWei }
}
