import { gatewayAnswers } from '../../../dashboard/test/fixtures/gatewayAnswers.ts'
import { answers } from '../../../dashboard/test/fixtures/indexerAnswers.ts'
import {
  CURRENT_ROUND,
  evaluators,
  type FixturePeer,
  makePeer,
  solvers,
} from '../../../dashboard/test/fixtures/swarm.ts'
import { startDashboard } from '../../../dashboard/test/startDashboard.ts'

const SOLVERS = 300
const SEATS = 40
const SHARD_PEERS = 32

/** A round of 300 solvers, each scored by a committee of five of 40 seats. */
export const LARGE_ROUND = CURRENT_ROUND - 6

const many = Array.from({ length: SOLVERS }, (_, index) => makePeer(1_000 + index, 'solver'))
const committee = Array.from({ length: 5 }, (_, index) => makePeer(2_000 + index, 'evaluator'))
const items = <T>(rows: T[]) => ({ items: rows })
const named = ({ peerId, name }: FixturePeer) => ({ peerId, name })

/** What the indexer answers of it. */
function roundAnswer(variables: Record<string, unknown>) {
  const small = answers.Round?.({ ...variables, shard: 0 }) as { round: object }
  const shard = Number(variables.shard)
  const peers = many.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS)
  return {
    ...small,
    round: { ...small.round, rolloutCommitments: SOLVERS },
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
      ...items(evaluators.map(peer => ({ peerKey: peer.peerKey, peer: named(peer) }))),
    },
  }
}

interface Group {
  peerKey: string
  peerId: string
  name: string
}

/** Each solver tried what one of the small round's did. */
function roundBodies(path: string) {
  const small = gatewayAnswers(path) as { groups?: Group[] } | undefined
  if (small?.groups === undefined) return small
  const groups = many.flatMap(({ peerKey, peerId, name }, index) => {
    const like = solvers[index % solvers.length]?.peerKey
    return (
      small.groups?.filter(group => group.peerKey === like).map(group => ({ ...group, peerKey, peerId, name })) ?? []
    )
  })
  return { ...small, groups }
}

/** The production dashboard with sources that know of it. */
export async function serveLargeRound() {
  const dashboard = await startDashboard()
  dashboard.indexer.answers = { ...answers, Round: roundAnswer }
  dashboard.gateway.answers = roundBodies
  return dashboard
}
