import { peerRegistryAbi, rewardVotesAbi, rolloutCommitmentsAbi, roundsAbi } from '@waggle/deployments/abi'
import { SHARD_PEERS } from '@waggle/deployments/protocol'
import { type Abi, type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, padHex } from 'viem'
import { deploymentRecord } from '../../../dashboard/test/fixtures/servers.ts'
import { makePeer } from '../../../dashboard/test/fixtures/swarm.ts'
import { atSecOf, type LoggedEvent } from './loggedChain.ts'

export const PEERS = 10_000
export const EVENTS = 200_000

const ROUND_SOLVERS = 608
const SHARDS = ROUND_SOLVERS / SHARD_PEERS
const SEATS = 5
const EVALUATORS = 40
const BLOCK_EVENTS = 100
const SCORED = 1

const hash = (...parts: number[]) =>
  padHex(`0x${parts.map(part => part.toString(16).padStart(8, '0')).join('')}`, { size: 32 })

const { contracts } = deploymentRecord
type Contract = keyof typeof contracts

function event(contract: Contract, abi: Abi, eventName: string, args: Record<string, unknown>): LoggedEvent {
  const { inputs } = abi.find(one => one.type === 'event' && one.name === eventName) as AbiEvent
  const stored = inputs.filter(({ indexed }) => !indexed)
  return {
    address: contracts[contract].address as Hex,
    topics: encodeEventTopics({ abi, eventName, args } as never) as Hex[],
    data: encodeAbiParameters(
      stored,
      stored.map(({ name }) => args[name ?? '']),
    ),
  }
}

export const largePeers = Array.from({ length: PEERS }, (_, index) => makePeer(10_000 + index, 'solver'))
const keyOf = (index: number) => largePeers[index % PEERS]?.peerKey ?? hash(0)

/** Rounds of 608 solvers in 19 shards of five seats each, until there are as many events as asked for, in blocks of a hundred. */
export function largeIndex() {
  const events: LoggedEvent[] = [
    event('Rounds', roundsAbi, 'ScheduleSet', { fromRound: 0n, startsAtSec: atSecOf(0), roundSeconds: 100 }),
    event('Rounds', roundsAbi, 'EnvironmentSet', { fromRound: 0n, environmentHash: hash(1) }),
    ...largePeers.map(({ peerKey, account, peerId }) =>
      event('PeerRegistry', peerRegistryAbi, 'PeerRegistered', { peerKey, account, peerId, fromRound: 0n }),
    ),
    ...Array.from({ length: EVALUATORS }, (_, seat) =>
      event('RewardVotes', rewardVotesAbi, 'EvaluatorAdmitted', {
        peerKey: keyOf(seat),
        fromRound: 0n,
        isStaked: false,
      }),
    ),
  ]
  let rounds = 0
  for (; events.length < EVENTS; rounds++) events.push(...roundEvents(rounds))
  const blocks: LoggedEvent[][] = [[]]
  for (let at = 0; at < EVENTS; at += BLOCK_EVENTS) blocks.push(events.slice(at, Math.min(at + BLOCK_EVENTS, EVENTS)))
  return { blocks, rounds }
}

function roundEvents(number: number): LoggedEvent[] {
  const round = BigInt(number)
  const solvers = Array.from({ length: ROUND_SOLVERS }, (_, place) => ({
    place,
    peerKey: keyOf(number * ROUND_SOLVERS + place),
    scoreMilli: 300 + ((number * 7 + place * 13) % 600),
  }))
  const leaves = { leafCount: 64, policyHash: hash(2), contentId: hash(3) }
  const committed = solvers.map(({ place, peerKey }) =>
    event('RolloutCommitments', rolloutCommitmentsAbi, 'RolloutsCommitted', {
      ...{ round, peerKey, ordinal: place, root: hash(number, place), ...leaves },
    }),
  )
  const votes = Array.from({ length: SHARDS }, (_, shard) => {
    const scoresMilli = solvers.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS).map(one => one.scoreMilli)
    const componentRoots = scoresMilli.map(() => hash(4))
    return Array.from({ length: SEATS }, (_, seat) => {
      const vote = { round, evaluatorKey: keyOf((number + shard * SEATS + seat) % EVALUATORS), shard }
      const opened = { ...vote, scoresMilli, componentRoots, contentId: hash(5) }
      return [
        event('RewardVotes', rewardVotesAbi, 'VotesCommitted', { ...vote, commitment: hash(6) }),
        event('RewardVotes', rewardVotesAbi, 'VotesRevealed', opened),
      ]
    })
  })
  const settled = solvers.map(({ peerKey, scoreMilli }) =>
    event('RewardVotes', rewardVotesAbi, 'Settled', { round, peerKey, scoreMilli, votes: SEATS, outcome: SCORED }),
  )
  return [...committed, ...votes.flat(2), ...settled]
}
