import type { Deployment } from '@waggle/deployments'
import { challengesAbi, rewardVotesAbi, rolloutCommitmentsAbi, roundsAbi } from '@waggle/deployments/abi'
import { createPublicClient, type Hex, http, type PublicClient } from 'viem'
import { settlementOutcomes, UNAVAILABLE } from '../../deployments/protocol.ts'

/** A round's facts from the chain. */
interface ChainRound {
  round: number
  tasks: number
  rollouts: number
  commitments: number
  /** Opened votes on a peer, abstentions among them. */
  votes: number
  /** Votes `unavailable`: the evaluator did not get the answers, or had no time to score them. */
  abstentions: number
  settled: number
  /** Peers settled with a score. Of the others, which got none, too few votes were opened, or most were abstentions. */
  scored: number
  /** Sum of the settled scores, thousandths of a point. */
  pointsMilli: number
  /** Mean settled score over scored peers, 0 to 1; null before settlement, and where nobody was scored. */
  meanReward: number | null
  /** The round's own span, seconds. */
  seconds: number
}

export interface ChainFacts {
  rounds: ChainRound[]
  pointsOf: Map<Hex, number>
}

/** Blocks per request: a year of a swarm in one answer would be gigabytes. */
const RANGE_BLOCKS = 5_000n

export function connect(rpcUrl: string): PublicClient {
  return createPublicClient({ transport: http(rpcUrl, { retryCount: 2 }), pollingInterval: 500 })
}

/** Chain round of the latest block; null while the schedule has not begun. */
export async function currentRound(client: PublicClient, deployment: Deployment): Promise<number | null> {
  const { address } = deployment.contracts.Rounds
  const read = client.readContract({ address, abi: roundsAbi, functionName: 'currentRound' })
  return read.then(Number, () => null)
}

/**
 * Reads the events of a deployment and sums them by round. Each call reads the blocks since the one before and no others, so
 * that it costs the same however old the swarm is.
 *
 * A local chain that was killed may have lost its last second: then all is read again, and also after a call that failed.
 */
export function followChainFacts(client: PublicClient, deployment: Deployment): () => Promise<ChainFacts> {
  const { RolloutCommitments, RewardVotes, Challenges, Rounds } = deployment.contracts
  const spans = new Map<number, number>()
  let tallies = createTallies()
  let last: { number: bigint; hash: Hex } | null = null

  async function readRange(fromBlock: bigint, toBlock: bigint): Promise<void> {
    const range = { fromBlock, toBlock, strict: true } as const
    const [work, votes, challenged] = await Promise.all([
      client.getContractEvents({ ...range, address: RolloutCommitments.address, abi: rolloutCommitmentsAbi }),
      client.getContractEvents({ ...range, address: RewardVotes.address, abi: rewardVotesAbi }),
      client.getContractEvents({ ...range, address: Challenges.address, abi: challengesAbi }),
    ])
    for (const { eventName, args } of work) {
      if (eventName === 'TasksProposed') tallies.of(args.round).tasks.set(args.peerKey, args.count)
      if (eventName === 'RolloutsCommitted') tallies.of(args.round).rollouts.set(args.peerKey, args.leafCount)
    }
    for (const { eventName, args } of votes) {
      if (eventName === 'VotesRevealed') tallies.of(args.round).votes.push(...args.scoresMilli)
      if (eventName !== 'Settled') continue
      tallies.of(args.round).settled += 1
      if (settlementOutcomes[args.outcome] === 'scored') tallies.of(args.round).scores.push(args.scoreMilli)
      tallies.score(args.peerKey, args.scoreMilli)
    }
    for (const { eventName, args } of challenged)
      if (eventName === 'LeafFalse' || eventName === 'LeafWithheld') tallies.score(args.peerKey, -args.lostMilli)
  }

  async function secondsOf(round: number): Promise<number> {
    const known = spans.get(round)
    if (known !== undefined) return known
    const at = (functionName: 'startOf' | 'endOf') =>
      client.readContract({ address: Rounds.address, abi: roundsAbi, functionName, args: [BigInt(round)] })
    const [start, end] = await Promise.all([at('startOf'), at('endOf')])
    const seconds = Number(end - start)
    spans.set(round, seconds)
    return seconds
  }

  /** All is read again: part of the blocks may be counted already. */
  function forget(): void {
    tallies = createTallies()
    last = null
  }

  return async () => {
    const head = await client.getBlock({ blockTag: 'latest' })
    const there = last === null ? null : await client.getBlock({ blockNumber: last.number }).catch(() => null)
    if (there?.hash !== last?.hash) forget()
    const first = last === null ? BigInt(RolloutCommitments.startBlock) : last.number + 1n
    try {
      for (let from = first; from <= head.number; from += RANGE_BLOCKS) {
        const to = from + RANGE_BLOCKS - 1n
        await readRange(from, to < head.number ? to : head.number)
      }
    } catch (error) {
      forget()
      throw error
    }
    last = { number: head.number, hash: head.hash }
    const inOrder = [...tallies.byRound].sort(([a], [b]) => a - b)
    const rounds = await Promise.all(
      inOrder.map(async ([round, entry]) => ({ ...summaryOf(round, entry), seconds: await secondsOf(round) })),
    )
    return { rounds, pointsOf: tallies.pointsOf }
  }
}

interface Tally {
  tasks: Map<Hex, number>
  rollouts: Map<Hex, number>
  votes: number[]
  settled: number
  /** Scores of peers that were settled with one, thousandths. */
  scores: number[]
}

/** Sums of events, by round and by peer. */
function createTallies() {
  const byRound = new Map<number, Tally>()
  const pointsOf = new Map<Hex, number>()

  return {
    byRound,
    pointsOf,
    of(round: bigint): Tally {
      const key = Number(round)
      const tally = byRound.get(key) ?? { tasks: new Map(), rollouts: new Map(), votes: [], settled: 0, scores: [] }
      byRound.set(key, tally)
      return tally
    },
    score: (peerKey: Hex, milli: number) => void pointsOf.set(peerKey, (pointsOf.get(peerKey) ?? 0) + milli),
  }
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)

function summaryOf(round: number, { tasks, rollouts, votes, settled, scores }: Tally): Omit<ChainRound, 'seconds'> {
  return {
    round,
    tasks: sum(tasks.values()),
    rollouts: sum(rollouts.values()),
    commitments: rollouts.size,
    votes: votes.length,
    abstentions: votes.filter(vote => vote === UNAVAILABLE).length,
    settled,
    scored: scores.length,
    pointsMilli: sum(scores),
    meanReward: scores.length > 0 ? sum(scores) / scores.length / 1000 : null,
  }
}
