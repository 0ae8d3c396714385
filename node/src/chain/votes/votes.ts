import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData, keccak256, stringToBytes } from 'viem'
import type { AccountKey, PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'
import { type Ballot, voteCommitment, voteSalt } from './voteCommitment.ts'

/** Commits votes on a shard, within the round after its own. Once committed, a ballot cannot be changed. */
export function commitVotes({ chainId, rewardVotes }: Contracts, accountKey: AccountKey, ballot: Ballot): OutboxIntent {
  const place = { chainId, rewardVotes: rewardVotes.address }
  const commitment = voteCommitment(place, ballot, voteSalt(accountKey, place, ballot))
  const { round, shard, position, evaluatorKey } = ballot
  const args = [round, shard, position, evaluatorKey, commitment] as const
  return {
    // One ballot a round and shard: other votes under the same key would be refused by the chain.
    key: `commit-votes:${round}:${shard}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'commitVotes', args }),
    fromRound: Number(round) + phase.voting,
    throughRound: Number(round) + phase.voting,
  }
}

/** Reveals the votes that were committed on a shard, within the second round after its own. */
export function revealVotes({ chainId, rewardVotes }: Contracts, accountKey: AccountKey, ballot: Ballot): OutboxIntent {
  const salt = voteSalt(accountKey, { chainId, rewardVotes: rewardVotes.address }, ballot)
  const { round, shard, evaluatorKey } = ballot
  return {
    key: `reveal-votes:${round}:${shard}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'revealVotes', args: [ballot, salt] }),
    fromRound: Number(round) + phase.revealing,
    throughRound: Number(round) + phase.revealing,
  }
}

export type ShardToSettle = { round: number; shard: number; peerKeys: readonly PeerKey[] }

/** Settles peers of a shard, within the third round after. A peer settled before is passed over by the chain. */
export function settle({ rewardVotes }: Contracts, { round, shard, peerKeys }: ShardToSettle): OutboxIntent {
  const args = [BigInt(round), shard, peerKeys] as const
  return {
    key: `settle:${round}:${shard}:${keccak256(stringToBytes(peerKeys.join()))}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'settle', args }),
    fromRound: round + phase.settling,
    throughRound: round + phase.settling,
  }
}
