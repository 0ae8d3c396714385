import { encodeFunctionData } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'
import { type Ballot, voteSalt } from './voteCommitment.ts'

/** Reveals the votes that were committed on a shard, within the second round after its own. */
export function revealVotes({ chainId, rewardVotes }: Contracts, accountKey: Hex, ballot: Ballot): OutboxIntent {
  const salt = voteSalt(accountKey, { chainId, rewardVotes: rewardVotes.address }, ballot)
  const { round, shard, evaluatorKey } = ballot
  return {
    key: `reveal-votes:${round}:${shard}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'revealVotes', args: [ballot, salt] }),
    fromRound: Number(round) + 2,
    throughRound: Number(round) + 2,
  }
}
