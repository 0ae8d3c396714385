import { encodeFunctionData } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

/**
 * Claims what a peer has earned.
 *
 * @param currentRound - a claim is asked for once in a round.
 */
export function claimNectar({ nectar }: Contracts, peerKey: PeerKey, currentRound: number): OutboxIntent {
  return {
    key: `claim-nectar:${currentRound}:${peerKey}`,
    to: nectar.address,
    data: encodeFunctionData({ abi: nectar.abi, functionName: 'claim', args: [peerKey] }),
    fromRound: null,
    throughRound: null,
  }
}
