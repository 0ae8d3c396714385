import { encodeFunctionData } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'

export type TasksToCommit = { round: number; peerKey: Hex; root: Hex; count: number; contentId: Hex }

/** Commits the tasks of a round: in one of the two rounds before it. */
export function commitTasks({ rolloutCommitments }: Contracts, tasks: TasksToCommit): OutboxIntent {
  const { round, peerKey, root, count, contentId } = tasks
  const args = [BigInt(round), peerKey, root, count, contentId] as const
  return {
    key: `commit-tasks:${round}:${peerKey}:${root}:${contentId}`,
    to: rolloutCommitments.address,
    data: encodeFunctionData({ abi: rolloutCommitments.abi, functionName: 'commitTasks', args }),
    fromRound: round - 2,
    throughRound: round - 1,
  }
}
