import { rewardVotesAbi } from '@waggle/deployments/abi/rewardVotes'
import { readDeployment } from '@waggle/deployments/record'
import { decodeFunctionResult, encodeFunctionData, isHex } from 'viem'
import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'

const contract = { abi: rewardVotesAbi, functionName: 'committeeOf' } as const
/** An endpoint that refuses the call has no result. */
const answer = z.object({ result: z.string().refine(isHex).optional().catch(undefined) })

/**
 * The evaluators that the beacon drew for a shard of a round, by their keys: those that sealed no vote too, which the index cannot know.
 * Null if the chain does not say.
 */
export async function getCommittee(round: number, shard: number): Promise<readonly string[] | null> {
  const { deploymentPath, rpcUrls } = readEnvironment()
  if (deploymentPath === null) return null
  try {
    const to = readDeployment(deploymentPath).contracts.RewardVotes.address
    const call = { to, data: encodeFunctionData({ ...contract, args: [BigInt(round), shard] }) }
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] }
    for (const rpcUrl of rpcUrls) {
      const part = await fetchPart('chain', rpcUrl, '', answer, { body })
      if (part.state === 'down' || part.data.result === undefined) continue
      return decodeFunctionResult({ ...contract, data: part.data.result as `0x${string}` })
    }
    return null
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause)
    return null
  }
}
