import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

/** Fixes the block whose hash will be a round's beacon, within the round after it. */
export const fixBeacon = (contracts: Contracts, round: number) => beaconCall(contracts, 'fixBeacon', round)

/** Records a round's beacon, within the round after it. */
export const drawBeacon = (contracts: Contracts, round: number) => beaconCall(contracts, 'drawBeacon', round)

function beaconCall({ rounds }: Contracts, name: 'fixBeacon' | 'drawBeacon', round: number): OutboxIntent {
  return {
    key: `${name}:${round}`,
    to: rounds.address,
    data: encodeFunctionData({ abi: rounds.abi, functionName: name, args: [BigInt(round)] }),
    fromRound: round + phase.drawing,
    throughRound: round + phase.drawing,
  }
}
