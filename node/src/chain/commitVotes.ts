import { encodeFunctionData } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'
import { type Votes, voteCommitment, voteSalt } from './voteCommitment.ts'

export type VotesToCommit = { round: number; evaluatorKey: Hex; accountKey: Hex; votes: Votes }

/** Commits votes on a round, within the round after it. Once committed, a ballot cannot be changed. */
export function commitVotes(
  { chainId, rewardVotes }: Contracts,
  { round, evaluatorKey, accountKey, votes }: VotesToCommit,
): OutboxIntent {
  const ballot = { chainId, rewardVotes: rewardVotes.address, round, evaluatorKey }
  const commitment = voteCommitment(ballot, votes, voteSalt(accountKey, ballot))
  const args = [BigInt(round), evaluatorKey, commitment] as const
  return {
    // One ballot a round: other votes under the same key would be refused by the chain.
    key: `commit-votes:${round}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'commitVotes', args }),
    fromRound: round + 1,
    throughRound: round + 1,
  }
}
