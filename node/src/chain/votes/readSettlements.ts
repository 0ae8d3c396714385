import { phase } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

export const settlementOutcomes = [
  'none',
  'scored',
  'unavailable',
  'no quorum',
  'void',
  'false leaf',
  'withheld',
] as const
export type SettlementOutcome = (typeof settlementOutcomes)[number]
export type Settlement = {
  peerKey: PeerKey
  scoreMilli: number
  votes: number
  outcome: SettlementOutcome
  block: number
}

/** What was settled of a round (in the third round after it). */
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
