import type { Hex } from '#core/hex.ts'
import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'

export const beaconStates = ['none', 'fixed', 'drawn', 'void'] as const
export type BeaconState = (typeof beaconStates)[number]

/** A round's beacon. `hash` is known from the end of its block on, before anyone has recorded it. */
export type BeaconReading = { state: BeaconState; hash: Hex | null }

/** How far the beacon of a round is, and what it is or, once recorded, will be. */
export async function readBeacon(
  { rpc, rpcUrl }: ChainClient,
  { rounds }: Contracts,
  round: number,
): Promise<BeaconReading> {
  const args = [BigInt(round)] as const
  const [code, blockNumber] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...rounds, functionName: 'beaconStateOf', args }),
  )
  const state = beaconStates[code] ?? 'void'
  if (state === 'drawn') {
    const hash = await callChain(rpcUrl, () => rpc.readContract({ ...rounds, functionName: 'beaconOf', args }))
    return { state, hash }
  }
  if (state !== 'fixed' || (await callChain(rpcUrl, () => rpc.getBlockNumber())) < blockNumber)
    return { state, hash: null }
  const { hash } = await callChain(rpcUrl, () => rpc.getBlock({ blockNumber }))
  return { state, hash }
}
