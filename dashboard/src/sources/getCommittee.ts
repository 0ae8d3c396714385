import { rewardVotesAbi } from '@waggle/deployments/abi/rewardVotes'
import { readDeployment } from '@waggle/deployments/record'
import { decodeFunctionResult, encodeFunctionData, isHex, toFunctionSelector } from 'viem'
import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'

const contract = { abi: rewardVotesAbi, functionName: 'committeeOf' } as const
const FORGOTTEN = toFunctionSelector('RoundHistory_Forgotten(uint64,uint64)')
/** An endpoint that refuses the call has no result. The data of a revert is the contract's error. */
const answer = z.object({
  result: z.string().refine(isHex).optional().catch(undefined),
  error: z.object({ data: z.string() }).optional().catch(undefined),
})

/**
 * The evaluators that the beacon drew for a shard of a round, by their keys: those that sealed no vote too, which the index cannot know.
 * `forgotten` of a round so old that the contract no longer knows its seats. Null if the chain does not say.
 */
export async function getCommittee(round: number, shard: number): Promise<readonly string[] | 'forgotten' | null> {
  const { deploymentPath, rpcUrls } = readEnvironment()
  if (deploymentPath === null) return null
  try {
    const to = readDeployment(deploymentPath).contracts.RewardVotes.address
    const call = { to, data: encodeFunctionData({ ...contract, args: [BigInt(round), shard] }) }
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] }
    for (const rpcUrl of rpcUrls) {
      const part = await fetchPart('chain', rpcUrl, '', answer, { body })
      if (part.state === 'down') continue
      if (part.data.error?.data.startsWith(FORGOTTEN)) return 'forgotten'
      if (part.data.result === undefined) continue
      return decodeFunctionResult({ ...contract, data: part.data.result as `0x${string}` })
    }
    return null
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause)
    return null
  }
}
