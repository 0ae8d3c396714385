import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData } from 'viem'
import type { Beacon } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

export const beaconStates = ['none', 'fixed', 'drawn', 'void'] as const
export type BeaconState = (typeof beaconStates)[number]

/**
 * A round's beacon. `hash` is known once its block is deep enough to stay, before anyone has recorded it.
 *
 * `fromBlock`: the block that makes it deep enough, if the chain only has to reach it.
 */
export type BeaconReading = { state: BeaconState; hash: Beacon | null; fromBlock?: number }

/**
 * The state of a round's beacon, and its present or future value. It is returned only once its block is deep enough: a leaf whose seed is from a
 * reverted beacon is false, and its peer loses the round.
 */
export async function readBeacon(
  { rpc, rpcUrl, heads }: FollowedChain,
  { rounds, reorganisedBlocks }: Contracts,
  round: number,
): Promise<BeaconReading> {
  const args = [BigInt(round)] as const
  const [code, blockNumber] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...rounds, functionName: 'beaconStateOf', args }),
  )
  const state = beaconStates[code] ?? 'void'
  if (state !== 'fixed' && state !== 'drawn') return { state, hash: null }
  const fromBlock = Number(blockNumber) + reorganisedBlocks
  const isDeep = ({ number }: { number: number }) => number >= fromBlock
  if (!isDeep(await heads.recent(isDeep))) return { state, hash: null, fromBlock }
  if (state === 'fixed') return { state, hash: (await callChain(rpcUrl, () => rpc.getBlock({ blockNumber }))).hash }
  return { state, hash: await callChain(rpcUrl, () => rpc.readContract({ ...rounds, functionName: 'beaconOf', args })) }
}

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
