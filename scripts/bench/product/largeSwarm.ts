import { SHARD_PEERS } from '@waggle/deployments/protocol'
import buildDashboard from '../../../dashboard/test/buildDashboard.ts'
import { gatewayAnswers } from '../../../dashboard/test/fixtures/gatewayAnswers.ts'
import { answers } from '../../../dashboard/test/fixtures/indexerAnswers.ts'
import {
  CURRENT_ROUND,
  type FixturePeer,
  makePeer,
  solvers,
  standings,
} from '../../../dashboard/test/fixtures/swarm.ts'
import { startDashboard } from '../../../dashboard/test/startDashboard.ts'

const PEERS = 1_000
const SOLVERS = 300
const SEATS = 40
const PROPOSERS = 200
const ROUNDS = 5_000

/** The made-up swarm's rounds are the newest of this one's. */
const EARLIER = ROUNDS - 1 - CURRENT_ROUND
/** The round of the made-up swarm that one is like. */
const likeRound = (round: number) => (round >= EARLIER ? round - EARLIER : round % 30)

/** A round of 300 solvers, each scored by a committee of five of 40 seats. */
export const LARGE_ROUND = EARLIER + CURRENT_ROUND - 6

const make = (count: number, from: number, role: FixturePeer['role']) =>
  Array.from({ length: count }, (_, index) => makePeer(from + index, role))
const everybody = make(PEERS, 1_000, 'solver')
const many = everybody.slice(0, SOLVERS)
const seats = make(SEATS, 3_000, 'evaluator')
const committee = seats.slice(0, 5)
const proposers = make(PROPOSERS, 4_000, 'proposer')
const items = <T>(rows: T[]) => ({ items: rows })
const named = ({ peerId, name }: FixturePeer) => ({ peerId, name })

/** The indexer's answer about a round. */
function roundAnswer(variables: Record<string, unknown>) {
  const small = answers.Round?.({ number: likeRound(Number(variables.number)), shard: 0 }) as { round: object }
  const shard = Number(variables.shard)
  const peers = many.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS)
  return {
    ...small,
    round: { ...small.round, number: Number(variables.number), rolloutCommitments: SOLVERS },
    roundPeers: items(
      peers.map((peer, index) => ({
        ...{ peerKey: peer.peerKey, ...named(peer), leafCount: 64 },
        ...{ outcome: 'scored', scoreMilli: 500 + index, openChallenges: 0 },
      })),
    ),
    voteCommits: items(committee.map(peer => ({ evaluatorKey: peer.peerKey, revealedAtSec: 1, peer: named(peer) }))),
    votes: items(
      committee.flatMap(({ peerKey: evaluatorKey }) =>
        peers.map(({ peerKey }, index) => ({ evaluatorKey, peerKey, scoreMilli: 500 + index })),
      ),
    ),
    evaluatorSeats: {
      totalCount: SEATS,
      ...items(seats.map(peer => ({ peerKey: peer.peerKey, peer: named(peer) }))),
    },
  }
}

const [likeStanding] = standings
const board = everybody.map((peer, index) => {
  const { peerKey, peerId, name, account } = peer
  const points = `${(PEERS - index) * 5_000}`
  return { ...likeStanding, peerKey, peerId, name, account, rank: index + 1, finalPointsMilli: points }
})

/** A page of the leaderboard; a search finds what the text is part of. */
function standingsAnswer({ where, limit, offset }: Record<string, unknown>) {
  const {
    rank_gt: after = 0,
    rank_lte: last = PEERS,
    OR,
  } = where as {
    rank_gt?: number
    rank_lte?: number
    OR?: { name_contains_nocase?: string }[]
  }
  const text = OR?.[0]?.name_contains_nocase?.toLowerCase() ?? ''
  const found = board.filter(({ rank, name }) => rank > after && rank <= last && name.includes(text))
  const page = found.slice(Number(offset), Number(offset) + Number(limit))
  const totalCount = text === '' ? PEERS : found.length
  return { standings: items(page), peers: { totalCount }, registered: { totalCount: PEERS } }
}

/** Those before the made-up swarm's are like its early ones. */
function roundsAnswer({ limit, offset }: Record<string, unknown>) {
  const numbers = Array.from({ length: ROUNDS }, (_, index) => ROUNDS - 1 - index)
  const page = numbers.slice(Number(offset), Number(offset) + Number(limit)).map(number => {
    const like = answers.Round?.({ number: likeRound(number), shard: 0 }) as { round: object }
    return { ...like.round, number, rollouts: SOLVERS * 64, rolloutCommitments: SOLVERS, settled: SOLVERS }
  })
  return { rounds: { totalCount: ROUNDS, items: page } }
}

const fundsAnswer = ({ keys }: Record<string, unknown>) => ({
  stakes: items(
    (keys as string[]).map((peerKey, index) => ({
      ...{ peerKey, duty: index < seats.length ? 'evaluator' : 'proposer', freeFromRound: null },
      ...{ amountWei: `99${'0'.repeat(18)}`, slashedWei: '0' },
    })),
  ),
  purses: items(
    (keys as string[]).map((peerKey, index) => ({
      ...{ peerKey, openingWei: `${index}${'0'.repeat(18)}`, taskWei: `${index}${'0'.repeat(18)}` },
    })),
  ),
})

interface Listed {
  items: { peer?: object }[]
}

/** As many evaluators and proposers as the page asks for. */
function rolesAnswer(variables: Record<string, unknown>) {
  const small = answers.Roles?.(variables) as Record<string, Listed>
  const like = (list: Listed | undefined) => list?.items[0] ?? {}
  const [evaluator, proposer] = [like(small.evaluators), like(small.peers)]
  return {
    ...small,
    evaluators: items(
      seats.map(peer => ({
        ...{ ...evaluator, peerKey: peer.peerKey },
        peer: { ...evaluator.peer, ...named(peer), peerKey: peer.peerKey },
      })),
    ),
    peers: items(proposers.map(peer => ({ ...proposer, ...named(peer), peerKey: peer.peerKey }))),
    taskPays: items(
      Array.from({ length: 1_000 }, (_, index) => ({
        proposerKey: proposers[index % PROPOSERS]?.peerKey,
        amountWei: `4${'0'.repeat(18)}`,
      })),
    ),
  }
}

interface Group {
  peerKey: string
  peerId: string
  name: string
}

/** Each solver tried what one of the small round's did. */
function roundPayloads(path: string) {
  const [, asked = ''] = /^\/v1\/rounds\/(\d+)$/.exec(path) ?? []
  const like = path.replace(/^\/v1\/rounds\/(\d+)/, (_, round) => `/v1/rounds/${likeRound(Number(round))}`)
  const small = gatewayAnswers(like) as { groups?: Group[] } | undefined
  if (small?.groups === undefined) return small
  const groups = many.flatMap(({ peerKey, peerId, name }, index) => {
    const like = solvers[index % solvers.length]?.peerKey
    return (
      small.groups?.filter(group => group.peerKey === like).map(group => ({ ...group, peerKey, peerId, name })) ?? []
    )
  })
  return { ...small, round: Number(asked), groups }
}

/** The production dashboard with sources that know of 1,000 peers, 40 seats and 5,000 rounds. */
export async function serveLargeSwarm() {
  await buildDashboard()
  const dashboard = await startDashboard()
  const lists = { Standings: standingsAnswer, Rounds: roundsAnswer, Roles: rolesAnswer, RoleFunds: fundsAnswer }
  dashboard.indexer.answers = { ...answers, ...lists, Round: roundAnswer }
  dashboard.gateway.answers = roundPayloads
  dashboard.chain.round = EARLIER + CURRENT_ROUND
  return dashboard
}
