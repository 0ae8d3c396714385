import { bytesToHex } from 'viem'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Environment } from '#environments/environment.ts'
import { environmentBytes } from '#environments/environmentSpec.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import type { PeerNode } from '../peerNode.ts'
import type { Proposals } from './proposals.ts'

/** Rounds to look back for active peers. */
const LOOK_BACK = 5

/** Peers listed before other work has its turn. */
const AT_ONCE = 256

const roleOf: Record<AnnouncementKind, string> = {
  rollouts: 'solver',
  canary: 'solver',
  scores: 'evaluator',
}

/** A peer of the last rounds. */
type SeenPeer = { peerId: string; peerKey: string; role: string; release: string | null; lastSeenRound: number }

/** The swarm's state with the number of peers of its last rounds, and these by key. */
export async function statusView(node: PeerNode, proposals: Proposals) {
  const { round, endsAtSec, nowSec } = await node.chain.rounds.read()
  const peers = new Map<string, SeenPeer>()
  let level: number | null = null
  const see = (at: number, role: string, peerId: string) => {
    const peerKey = peerKeyOf(peerId)
    peers.set(peerKey, { peerId, peerKey, role, release: node.network.releaseOf(peerId), lastSeenRound: at })
  }
  for (let at = Math.max(0, round - LOOK_BACK); at <= round + 1; at++) {
    let seen = 0
    for (const { kind, peerId } of node.network.announcements(at)) {
      see(at, roleOf[kind], peerId)
      // A key takes a hash: a large swarm's would hold the event loop.
      if (++seen % AT_ONCE === 0) await yieldToEventLoop()
    }
    for (const proposal of await proposals(at)) {
      see(at, 'proposer', proposal.peerId)
      level = proposal.level
    }
  }
  const running = round >= 0
  const seen = [...peers.values()]
  const status = {
    round: running ? round : null,
    secondsLeft: endsAtSec - nowSec,
    level,
    roles: countBy(seen, ({ role }) => role),
    releases: countBy(seen, ({ release }) => release),
    network: node.network.status(),
    environment: { hash: node.environment.hash, ...node.environment.spec },
  }
  return { status, peers }
}

/** Number of peers by a fact, without those whose fact is unknown. */
function countBy(peers: readonly SeenPeer[], factOf: (peer: SeenPeer) => string | null): Record<string, number> {
  const counts = new Map<string, number>()
  for (const peer of peers) {
    const fact = factOf(peer)
    if (fact !== null) counts.set(fact, (counts.get(fact) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}

/** Proof for the chain of the leaves that a round samples: the specification's bytes, which its hash covers, and the number of leaves drawn per peer. */
export function specificationView({ hash, spec }: Pick<Environment, 'hash' | 'spec'>) {
  const places = Math.min(spec.owedLeaves, spec.sampledLeaves)
  return { hash, specification: bytesToHex(environmentBytes(spec)), places }
}
