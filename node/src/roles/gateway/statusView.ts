import { bytesToHex } from 'viem'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { peerName } from '#core/peers/peerName.ts'
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

/** The swarm's state, and the peers of its last rounds. */
export async function statusView(node: PeerNode, proposals: Proposals) {
  const { round, endsAtSec, nowSec } = await node.chain.rounds.read()
  const peers = new Map<
    string,
    { peerId: string; peerKey: string; name: string; role: string; release: string | null; lastSeenRound: number }
  >()
  let level: number | null = null
  const see = (at: number, role: string, peerId: string) =>
    peers.set(peerId, {
      ...{ peerId, peerKey: peerKeyOf(peerId), name: peerName(peerId), role },
      ...{ release: node.network.releaseOf(peerId), lastSeenRound: at },
    })
  for (let at = Math.max(0, round - LOOK_BACK); at <= round + 1; at++) {
    let seen = 0
    for (const { kind, peerId } of node.network.announcements(at)) {
      see(at, roleOf[kind], peerId)
      // A name takes a hash: a large swarm's would hold the event loop.
      if (++seen % AT_ONCE === 0) await yieldToEventLoop()
    }
    for (const proposal of await proposals(at)) {
      see(at, 'proposer', proposal.peerId)
      level = proposal.level
    }
  }
  const running = round >= 0
  return {
    round: running ? round : null,
    secondsLeft: endsAtSec - nowSec,
    level,
    peers: [...peers.values()],
    network: node.network.status(),
    environment: { hash: node.environment.hash, ...node.environment.spec },
  }
}

/** Proof for the chain of the leaves that a round samples: the specification's bytes, which its hash covers, and the number of leaves drawn per peer. */
export function specificationView({ hash, spec }: Pick<Environment, 'hash' | 'spec'>) {
  const places = Math.min(spec.owedLeaves, spec.sampledLeaves)
  return { hash, specification: bytesToHex(environmentBytes(spec)), places }
}
