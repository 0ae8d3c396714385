import type { PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** Points of a peer so far, in thousandths; those of rounds that are not final may still be revoked. */
export async function readPoints(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  peerKey: PeerKey,
  blockNumber?: bigint,
): Promise<number> {
  const call = { ...rewardVotes, functionName: 'points', args: [peerKey], blockNumber } as const
  return Number(await callChain(rpcUrl, () => rpc.readContract(call)))
}

/** Whether a peer's score of a round is settled already. */
export async function isSettled(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  round: number,
  peerKey: PeerKey,
): Promise<boolean> {
  const args = [BigInt(round), peerKey] as const
  const [outcome] = await callChain(rpcUrl, () => rpc.readContract({ ...rewardVotes, functionName: 'outcomeOf', args }))
  return outcome !== 0
}

/** Misses of an evaluator since its last reveal. */
export function readMisses(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  peerKey: PeerKey,
): Promise<number> {
  return callChain(rpcUrl, () => rpc.readContract({ ...rewardVotes, functionName: 'missesOf', args: [peerKey] }))
}
