import { encodeFunctionData, maxUint256 } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'
import { type Duty, dutyNumber } from './readStake.ts'

/** Stakes what is missing, gives notice, or takes back what is free. */
type StakeMove = 'stake' | 'unstake' | 'withdraw'

/**
 * Moves a peer's stake.
 *
 * @param id - the same move is sent once for an id.
 */
export function moveStake(
  { stakes }: Contracts,
  move: StakeMove,
  { duty, peerKey, id }: { duty: Duty; peerKey: PeerKey; id: string },
): OutboxIntent {
  return {
    key: `stakes:${move}:${duty}:${peerKey}:${id}`,
    to: stakes.address,
    data: encodeFunctionData({ abi: stakes.abi, functionName: move, args: [dutyNumber[duty], peerKey] }),
    fromRound: null,
    throughRound: null,
  }
}

/** Lets the contract of stakes take Nectar. It takes nothing but what a call of the account's own stakes. */
export function approveStakes({ nectar, stakes }: Contracts, id: string): OutboxIntent {
  const data = encodeFunctionData({ abi: nectar.abi, functionName: 'approve', args: [stakes.address, maxUint256] })
  return { key: `stakes:approve:${id}`, to: nectar.address, data, fromRound: null, throughRound: null }
}
