import { encodeFunctionData, keccak256, stringToBytes } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from './contracts.ts'

/** Peers settled in one transaction: at some 20,000 gas each, well inside any block. */
export const SETTLE_PAGE_PEERS = 64

/** Settles peers of a round, in pages, within the third round after it. A peer settled before is passed over by the chain. */
export function settle({ rewardVotes }: Contracts, round: number, peerKeys: readonly Hex[]): OutboxIntent[] {
  const pages = Math.ceil(peerKeys.length / SETTLE_PAGE_PEERS)
  return Array.from({ length: pages }, (_, page) => {
    const keys = peerKeys.slice(page * SETTLE_PAGE_PEERS, (page + 1) * SETTLE_PAGE_PEERS)
    return {
      key: `settle:${round}:${keccak256(stringToBytes(keys.join()))}`,
      to: rewardVotes.address,
      data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'settle', args: [BigInt(round), keys] }),
      fromRound: round + 3,
      throughRound: round + 3,
    }
  })
}
