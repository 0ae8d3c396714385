import { encodeFunctionData, keccak256, stringToBytes } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'

export type ShardToSettle = { round: number; shard: number; peerKeys: readonly Hex[] }

/** Settles peers of a shard, within the third round after. A peer settled before is passed over by the chain. */
export function settle({ rewardVotes }: Contracts, { round, shard, peerKeys }: ShardToSettle): OutboxIntent {
  const args = [BigInt(round), shard, peerKeys] as const
  return {
    key: `settle:${round}:${shard}:${keccak256(stringToBytes(peerKeys.join()))}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'settle', args }),
    fromRound: round + 3,
    throughRound: round + 3,
  }
}
