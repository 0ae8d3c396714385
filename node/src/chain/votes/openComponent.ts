import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { AccountKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { LeafHeader } from '#core/payloads/leaf.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { RolloutCommitment } from '../work/commitments.ts'
import { type Ballot, voteSalt } from './votes.ts'

/** The score of a leaf, with proof that the peer committed to the leaf and the ballot to the score. */
export type ComponentOpening = {
  ballot: Ballot
  commitment: RolloutCommitment
  header: LeafHeader
  leafProof: readonly Hex[]
  scoreMilli: number
  /** sha-256 of the components behind the score. */
  componentsHash: Hex
  componentProof: readonly Hex[]
}

/** Opens the score of a leaf, in the fourth round after its own. */
export function openComponent(
  { chainId, rewardVotes, openings }: Contracts,
  accountKey: AccountKey,
  { ballot, commitment, header, ...opening }: ComponentOpening,
): OutboxIntent {
  const salt = voteSalt(accountKey, { chainId, rewardVotes: rewardVotes.address }, ballot)
  const { root, count, policyHash, contentId, peerKey } = commitment
  const { index, taskHash, seed, bodyHash } = header
  const work = { root, leafCount: count, policyHash, contentId }
  const leaf = { index, taskHash, policyHash: header.policyHash, seed, bodyHash }
  const args = [{ ballot, salt, peerKey, work, leaf, ...opening }] as const
  return {
    key: `open-component:${ballot.round}:${ballot.shard}:${ballot.evaluatorKey}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'open', args }),
    fromRound: header.round + phase.opening,
    throughRound: header.round + phase.opening,
  }
}

/** Pays the seats of a shard whose openings agree, in the fifth round after its own. */
export function closeOpenings({ openings }: Contracts, round: number, shard: number): OutboxIntent {
  return {
    key: `close-openings:${round}:${shard}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'close', args: [BigInt(round), shard] }),
    fromRound: round + phase.paying,
    throughRound: round + phase.paying,
  }
}

/** How many seats of a shard have opened, and whether that is closed. */
export async function readOpenings(
  { rpc, rpcUrl }: ChainClient,
  { openings }: Contracts,
  round: number,
  shard: number,
) {
  const args = [BigInt(round), shard] as const
  const [opened, closed] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...openings, functionName: 'stateOf', args }),
  )
  return { opened, closed }
}
