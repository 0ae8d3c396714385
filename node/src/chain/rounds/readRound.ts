import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** The chain's current round. */
export async function readRound({ rpc, rpcUrl }: ChainClient, { rounds }: Contracts): Promise<number> {
  return Number(await callChain(rpcUrl, () => rpc.readContract({ ...rounds, functionName: 'currentRound' })))
}
