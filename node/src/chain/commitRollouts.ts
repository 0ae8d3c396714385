import { encodeFunctionData } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'

export type RolloutsToCommit = {
  round: number
  peerKey: Hex
  root: Hex
  count: number
  policyHash: Hex
  contentId: Hex
}

/** Commits a peer's rollouts, within their round. Other rollouts in the same round amend. */
export function commitRollouts({ rolloutCommitments }: Contracts, rollouts: RolloutsToCommit): OutboxIntent {
  const { round, peerKey, root, count, policyHash, contentId } = rollouts
  const args = [BigInt(round), peerKey, root, count, policyHash, contentId] as const
  return {
    key: `commit-rollouts:${round}:${peerKey}:${root}:${contentId}`,
    to: rolloutCommitments.address,
    data: encodeFunctionData({ abi: rolloutCommitments.abi, functionName: 'commit', args }),
    fromRound: round,
    throughRound: round,
  }
}
