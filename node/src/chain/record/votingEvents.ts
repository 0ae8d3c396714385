import {
  challengesAbi,
  peerRegistryAbi,
  rewardVotesAbi,
  rolloutCommitmentsAbi,
  roundsAbi,
} from '@waggle/deployments/abi'
import { getAbiItem, type Log } from 'viem'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { eventRanges } from '../eventRanges.ts'

/** Events from which the points of every round follow. */
const events = [
  getAbiItem({ abi: peerRegistryAbi, name: 'PeerRegistered' }),
  getAbiItem({ abi: peerRegistryAbi, name: 'PeerMoved' }),
  getAbiItem({ abi: roundsAbi, name: 'BeaconDrawn' }),
  getAbiItem({ abi: rolloutCommitmentsAbi, name: 'RolloutsCommitted' }),
  getAbiItem({ abi: rewardVotesAbi, name: 'EvaluatorAdmitted' }),
  getAbiItem({ abi: rewardVotesAbi, name: 'EvaluatorRemoved' }),
  getAbiItem({ abi: rewardVotesAbi, name: 'VotesRevealed' }),
  getAbiItem({ abi: rewardVotesAbi, name: 'Settled' }),
  getAbiItem({ abi: challengesAbi, name: 'LeafFalse' }),
  getAbiItem({ abi: challengesAbi, name: 'LeafDemanded' }),
  getAbiItem({ abi: challengesAbi, name: 'LeafShown' }),
  getAbiItem({ abi: challengesAbi, name: 'LeafWithheld' }),
  getAbiItem({ abi: challengesAbi, name: 'AppealOpened' }),
  getAbiItem({ abi: challengesAbi, name: 'VerdictRevealed' }),
  getAbiItem({ abi: challengesAbi, name: 'AppealClosed' }),
] as const

export type VotingEvent = Log<bigint, number, false, undefined, true, typeof events>

/** The events of all votes and what they depend on since the deployment, in the order of the chain, through a block. */
export async function* readVotingEvents(
  chain: ChainClient,
  contracts: Contracts,
  through: bigint,
): AsyncGenerator<VotingEvent> {
  const { peerRegistry, rounds, rolloutCommitments, rewardVotes, challenges, startBlock } = contracts
  const of = [peerRegistry, rounds, rolloutCommitments, rewardVotes, challenges]
  const query = { address: of.map(({ address }) => address), events, strict: true } as const
  const span = { first: BigInt(startBlock), last: through }
  for await (const range of eventRanges(chain, span, blocks => chain.rpc.getLogs({ ...query, ...blocks })))
    yield* range.events
}
