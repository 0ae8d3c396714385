import { encodeFunctionData, maxUint256 } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'
import { type Duty, dutyNumber } from './readStake.ts'

/** Tops up a stake, gives notice, or withdraws a free stake. */
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

/** Approves the stakes contract to transfer Nectar. It transfers only amounts that the account's own calls stake. */
export function approveStakes({ nectar, stakes }: Contracts, id: string): OutboxIntent {
  const data = encodeFunctionData({ abi: nectar.abi, functionName: 'approve', args: [stakes.address, maxUint256] })
  return { key: `stakes:approve:${id}`, to: nectar.address, data, fromRound: null, throughRound: null }
}
