import { gossipsub } from '@chainsafe/libp2p-gossipsub'
import type { PeerId } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { connectedPeers } from '../connections/connectedPeers.ts'
import type { PeerGuard } from '../connections/peerGuard.ts'
import type { GossipService, Node } from '../libp2pNode.ts'
import { paceGossip } from './gossipPace.ts'
import { messageId, rawMessageId } from './messageId.ts'
import { scoreParams, scoreThresholds } from './topicScore.ts'

/** Five losses of gossip in a few minutes make a ban. */
const LOST_GOSSIP_POINTS = 20
/** Heartbeats that a new connection has until gossip runs on it: identify comes first. */
const GRACE_HEARTBEATS = 10

/**
 * Checks every connected peer once a heartbeat for two cases that gossipsub leaves open:
 *
 * - a graylisted peer stays connected: its connection is closed, and it is banned;
 * - a frame above the limit silently ends gossip from that peer, with the connection open: it is closed, so that a new
 *   connection starts clean, and the peer is penalised.
 *
 * @returns a function that ends the audit.
 */
export function auditGossip(node: Node, gossip: GossipService, guard: PeerGuard, logger: Logger): () => void {
  // Heartbeats since a connected peer was last in gossip.
  const missing = new Map<string, number>()
  const hangUp = (peerId: string): void => {
    missing.delete(peerId)
    for (const connection of node.getConnections()) {
      if (connection.remotePeer.toString() !== peerId) continue
      connection.close({ signal: AbortSignal.timeout(1000) }).catch(cause => connection.abort(cause))
    }
  }
  const lostGossip = (peerId: string): void => {
    logger.debug('a connected peer is not in gossip', { peer: peerId })
    guard.penalise(peerId, LOST_GOSSIP_POINTS, 'gossip ended')
    if (guard.penaltyOf(peerId) > -scoreThresholds.graylistThreshold) guard.ban(peerId, 'gossip ended too often')
    hangUp(peerId)
  }
  /** A peer that only fetches never was in gossip, and is welcome. */
  const lostGossipIfSpoken = (peer: PeerId): void => {
    node.peerStore.get(peer).then(
      known => {
        if (known.protocols.some(protocol => protocol.startsWith('/meshsub/'))) lostGossip(peer.toString())
      },
      cause => logger.debug('a connected peer is not known', { peer: peer.toString(), cause }),
    )
  }
  const audit = (): void => {
    const inGossip = new Set(gossip.getPeers().map(peer => peer.toString()))
    for (const [peerId, peer] of connectedPeers(node)) {
      const score = gossip.getScore(peerId)
      if (score < scoreThresholds.graylistThreshold) {
        const reason = guard.lastReason(peerId) ?? 'invalid messages'
        if (!guard.isBanned(peerId)) guard.ban(peerId, `${reason}; gossip score ${score.toFixed(0)}`)
        hangUp(peerId)
      } else if (inGossip.has(peerId)) {
        // One heartbeat without it is forgiven: gossipsub forgets a peer that reconnects at once for a moment.
        missing.set(peerId, -1)
      } else {
        const beats = (missing.get(peerId) ?? -GRACE_HEARTBEATS) + 1
        missing.set(peerId, beats)
        if (beats > 0) lostGossipIfSpoken(peer)
      }
    }
  }
  const forget = (event: CustomEvent<PeerId>): void => {
    missing.delete(event.detail.toString())
  }
  gossip.addEventListener('gossipsub:heartbeat', audit)
  node.addEventListener('peer:disconnect', forget)
  return () => {
    gossip.removeEventListener('gossipsub:heartbeat', audit)
    node.removeEventListener('peer:disconnect', forget)
  }
}

/** Holds a batch of messages of 16 KB each and the largest list of ids, far above what an honest peer sends. */
const MAX_FRAME_BYTES = 1 << 20

type GossipOptions = { topics: readonly string[]; heartbeatMs?: number; clock: Clock }

/** gossipsub for messages that `gossipTopics.ts` signs and verifies, so that gossipsub itself does not. */
export function gossipService({ topics, heartbeatMs, clock }: GossipOptions, guard: PeerGuard) {
  const create = gossipsub({
    globalSignaturePolicy: 'StrictNoSign',
    allowedTopics: [...topics],
    msgIdFn: messageId,
    fastMsgIdFn: rawMessageId,
    allowPublishToZeroTopicPeers: true,
    fallbackToFloodsub: false,
    doPX: false,
    runOnLimitedConnection: true,
    maxOutboundBufferSize: 4 * MAX_FRAME_BYTES,
    heartbeatInterval: heartbeatMs ?? 1000,
    scoreParams: scoreParams(topics, guard.penaltyOf),
    scoreThresholds,
  })
  return (components: Parameters<typeof create>[0]) =>
    paceGossip(create(components), { maxFrameBytes: MAX_FRAME_BYTES, guard, clock })
}
