import { encodeFunctionData } from 'viem'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { VotesToCommit } from './commitVotes.ts'
import type { Contracts } from './contracts.ts'
import { voteSalt } from './voteCommitment.ts'

/** Reveals the votes that were committed on a round, within the second round after it. */
export function revealVotes(
  { chainId, rewardVotes }: Contracts,
  { round, evaluatorKey, accountKey, votes }: VotesToCommit,
): OutboxIntent {
  const salt = voteSalt(accountKey, { chainId, rewardVotes: rewardVotes.address, round, evaluatorKey })
  const { peerKeys, scoresMilli, componentRoots, contentId } = votes
  const args = [BigInt(round), evaluatorKey, peerKeys, scoresMilli, componentRoots, contentId, salt] as const
  return {
    key: `reveal-votes:${round}:${evaluatorKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'revealVotes', args }),
    fromRound: round + 2,
    throughRound: round + 2,
  }
}
