import { encodeFunctionData } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
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

/** Seats an evaluator from the next round on; the account must hold the role for it. */
export function admitEvaluator({ rewardVotes }: Contracts, peerKey: PeerKey, currentRound: number): OutboxIntent {
  return {
    // A peer may be admitted again after it was removed, but not in the same round.
    key: `admit-evaluator:${currentRound}:${peerKey}`,
    to: rewardVotes.address,
    data: encodeFunctionData({ abi: rewardVotes.abi, functionName: 'admitEvaluator', args: [peerKey] }),
    fromRound: null,
    throughRound: null,
  }
}
