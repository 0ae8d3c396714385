import { encodeFunctionData } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** Nectar of a peer, in wei: what it has earned in final rounds and not claimed, and what was minted for it so far. */
type PeerNectar = { claimableWei: bigint; claimedWei: bigint }

export async function readNectar(
  { rpc, rpcUrl }: ChainClient,
  { nectar }: Contracts,
  peerKey: PeerKey,
): Promise<PeerNectar> {
  const read = (functionName: 'claimable' | 'claimedOf') =>
    callChain(rpcUrl, () => rpc.readContract({ ...nectar, functionName, args: [peerKey] }))
  const [claimableWei, claimedWei] = await Promise.all([read('claimable'), read('claimedOf')])
  return { claimableWei, claimedWei }
}

/**
 * Claims what a peer has earned.
 *
 * @param currentRound - a claim is asked for once in a round.
 */
export function claimNectar({ nectar }: Contracts, peerKey: PeerKey, currentRound: number): OutboxIntent {
  return {
    key: `claim-nectar:${currentRound}:${peerKey}`,
    to: nectar.address,
    data: encodeFunctionData({ abi: nectar.abi, functionName: 'claim', args: [peerKey] }),
    fromRound: null,
    throughRound: null,
  }
}
