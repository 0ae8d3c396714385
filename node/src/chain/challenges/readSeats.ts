import type { PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** Evaluators that sit on a round. */
export function readSeats(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  round: number,
): Promise<readonly PeerKey[]> {
  return callChain(rpcUrl, () => rpc.readContract({ ...rewardVotes, functionName: 'seatsAt', args: [BigInt(round)] }))
}
