import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** Multiaddrs of the bootnodes, as the registry lists them. */
export function readBootnodes({ rpc, rpcUrl }: ChainClient, { peerRegistry }: Contracts): Promise<readonly string[]> {
  return callChain(rpcUrl, () => rpc.readContract({ ...peerRegistry, functionName: 'bootnodes' }))
}
