import type { EnvironmentHash } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** Hash of the specification of a round's environment. */
export function readEnvironment(
  { rpc, rpcUrl }: ChainClient,
  { rounds }: Contracts,
  round: number,
): Promise<EnvironmentHash> {
  return callChain(rpcUrl, () => rpc.readContract({ ...rounds, functionName: 'environmentOf', args: [BigInt(round)] }))
}
