import { FULL_WEIGHT, phase, settlementOutcomes } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

export type SettlementOutcome = (typeof settlementOutcomes)[number]
export type Settlement = {
  peerKey: PeerKey
  scoreMilli: number
  votes: number
  outcome: SettlementOutcome
  block: number
}

/** The settlements of a round (made in the third round after it). */
export async function readSettlements(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<Settlement[]> {
  const logs = await events.inRounds({ first: round + phase.settling, last: round + phase.settling }, range =>
    rpc.getContractEvents({
      ...contracts.rewardVotes,
      eventName: 'Settled',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    }),
  )
  return logs.map(({ args: { peerKey, scoreMilli, votes, outcome }, blockNumber }) => ({
    peerKey,
    scoreMilli,
    votes,
    outcome: settlementOutcomes[outcome] ?? 'none',
    block: Number(blockNumber),
  }))
}

/**
 * The minimum of points, in thousandths, that a round's emission is divided by: the mean weight of the counted rounds before it, expressed in points
 * of this round.
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
