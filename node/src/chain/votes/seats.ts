import { encodeFunctionData, getAbiItem } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readBootstrapRounds } from '../peers/readStake.ts'
import { revertedWith } from '../revertedWith.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import { replaySeats } from './replaySeats.ts'

/** Evaluators that sit on a round; reverts with `RoundHistory_Forgotten` for a round long before the newest change. */
export function readSeats(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  round: number,
): Promise<readonly PeerKey[]> {
  return callChain(rpcUrl, () => rpc.readContract({ ...rewardVotes, functionName: 'seatsAt', args: [BigInt(round)] }))
}

/**
 * Evaluators that sat on a round, however old: as the contract says, or replayed from events since the deployment if it has forgotten the
 * round.
 */
export async function readPastSeats(
  chain: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<readonly PeerKey[]> {
  try {
    return await readSeats(chain, contracts, round)
  } catch (error) {
    if (!revertedWith(error)?.startsWith('RoundHistory_Forgotten(')) throw error
  }
  const { address, abi } = contracts.rewardVotes
  const changes = [
    getAbiItem({ abi, name: 'EvaluatorAdmitted' }),
    getAbiItem({ abi, name: 'EvaluatorRemoved' }),
  ] as const
  const logs = await events.inRounds({ first: -1, last: round }, range =>
    chain.rpc.getLogs({ address, events: changes, strict: true, ...range }),
  )
  return replaySeats(logs, await readBootstrapRounds(chain, contracts))(round)
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
