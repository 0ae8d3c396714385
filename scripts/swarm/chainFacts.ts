import type { Deployment } from '@waggle/deployments'
import { challengesAbi, rewardVotesAbi, rolloutCommitmentsAbi, roundsAbi } from '@waggle/deployments/abi'
import { createPublicClient, type Hex, http, type PublicClient } from 'viem'

/** What the chain says of one round. */
export interface ChainRound {
  round: number
  tasks: number
  rollouts: number
  commitments: number
  votes: number
  settled: number
  /** Mean settled score over scored peers, 0 to 1; null before settlement. */
  meanReward: number | null
  /** The round's own span, seconds. */
  seconds: number
}

export interface ChainFacts {
  rounds: ChainRound[]
  pointsOf: Map<Hex, number>
}

export function connect(rpcUrl: string): PublicClient {
  return createPublicClient({ transport: http(rpcUrl, { retryCount: 2 }), pollingInterval: 500 })
}

/** Chain round of the latest block; null while the schedule has not begun. */
export async function currentRound(client: PublicClient, deployment: Deployment): Promise<number | null> {
  const { address } = deployment.contracts.Rounds
  const read = client.readContract({ address, abi: roundsAbi, functionName: 'currentRound' })
  return read.then(Number, () => null)
}

/** Reads every event of the deployment once and sums it by round. */
export async function readChainFacts(client: PublicClient, deployment: Deployment): Promise<ChainFacts> {
  const { RolloutCommitments, RewardVotes, Challenges, Rounds } = deployment.contracts
  const range = { fromBlock: BigInt(RolloutCommitments.startBlock), toBlock: 'latest', strict: true } as const
  const [work, votes, challenged] = await Promise.all([
    client.getContractEvents({ ...range, address: RolloutCommitments.address, abi: rolloutCommitmentsAbi }),
    client.getContractEvents({ ...range, address: RewardVotes.address, abi: rewardVotesAbi }),
    client.getContractEvents({ ...range, address: Challenges.address, abi: challengesAbi }),
  ])
  const tallies = new Map<number, Tally>()
  const tally = (round: bigint) => {
    const key = Number(round)
    const found: Tally = tallies.get(key) ?? { tasks: new Map(), rollouts: new Map(), votes: 0, scores: [] }
    tallies.set(key, found)
    return found
  }
  const pointsOf = new Map<Hex, number>()
  for (const log of work) {
    if (log.eventName === 'TasksCommitted') tally(log.args.round).tasks.set(log.args.peerKey, log.args.count)
    if (log.eventName === 'RolloutsCommitted') tally(log.args.round).rollouts.set(log.args.peerKey, log.args.leafCount)
  }
  for (const log of votes) {
    if (log.eventName === 'VotesRevealed') tally(log.args.round).votes += log.args.scoresMilli.length
    if (log.eventName !== 'Settled') continue
    const entry = tally(log.args.round)
    entry.scores.push({ outcome: log.args.outcome, scoreMilli: log.args.scoreMilli })
    pointsOf.set(log.args.peerKey, (pointsOf.get(log.args.peerKey) ?? 0) + log.args.scoreMilli)
  }
  for (const log of challenged)
    if (log.eventName === 'LeafFalse' || log.eventName === 'LeafWithheld')
      pointsOf.set(log.args.peerKey, (pointsOf.get(log.args.peerKey) ?? 0) - log.args.lostMilli)
  const rounds = await Promise.all(
    [...tallies].sort(([a], [b]) => a - b).map(([round, entry]) => summarise(client, Rounds.address, round, entry)),
  )
  return { rounds, pointsOf }
}

interface Tally {
  tasks: Map<Hex, number>
  rollouts: Map<Hex, number>
  votes: number
  scores: { outcome: number; scoreMilli: number }[]
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)

async function summarise(client: PublicClient, rounds: Hex, round: number, entry: Tally): Promise<ChainRound> {
  const settled = entry.scores.length
  const at = (functionName: 'startOf' | 'endOf') =>
    client.readContract({ address: rounds, abi: roundsAbi, functionName, args: [BigInt(round)] })
  const [start, end] = await Promise.all([at('startOf'), at('endOf')])
  return {
    round,
    tasks: sum(entry.tasks.values()),
    rollouts: sum(entry.rollouts.values()),
    commitments: entry.rollouts.size,
    votes: entry.votes,
    settled,
    meanReward: settled > 0 ? sum(entry.scores.map(({ scoreMilli }) => scoreMilli)) / settled / 1000 : null,
    seconds: Number(end - start),
  }
}
