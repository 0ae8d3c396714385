import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** What a thousandth of a point weighs whose key scored as much before: `Weights.sol`. */
const FULL_WEIGHT = 32

/**
 * The points, thousandths, by which a round's emission is divided at least: as many as weigh what the counted rounds before it did in the mean, at
 * what a point weighs in this round.
 */
export async function readLeastPoints(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  round: number,
): Promise<number> {
  const call = { ...rewardVotes, functionName: 'totalsOf', args: [BigInt(round)] } as const
  const [points, , weight, meanWeight] = await callChain(rpcUrl, () => rpc.readContract(call))
  return weight === 0n ? Number(meanWeight) / FULL_WEIGHT : (Number(meanWeight) * Number(points)) / Number(weight)
}
