import type { Logger } from '#core/logger.ts'
import type { GossipService, Node } from './host.ts'
import type { PeerGuard } from './peerGuard.ts'
import { scoreThresholds } from './topicScore.ts'

/** Five losses of gossip in a few minutes make a ban. */
const LOST_GOSSIP_POINTS = 20

/**
 * Looks at every connected peer once a heartbeat, for what gossipsub leaves undone:
 *
 * - a graylisted peer stays connected: it is hung up on, and banned;
 * - a frame above `maxInboundDataLength` silently ends gossip from that peer, with the connection open: it is hung up on,
 *   so that a new connection can start afresh, and penalised.
 *
 * @returns a function that ends the audit.
 */
export function auditGossip(node: Node, gossip: GossipService, guard: PeerGuard, logger: Logger): () => void {
  // Peers seen in gossip on their present connection. A peer not yet in gossip is still being identified.
  const seen = new Set<string>()
  const hangUp = (peerId: string): void => {
    seen.delete(peerId)
    for (const connection of node.getConnections()) {
      if (connection.remotePeer.toString() !== peerId) continue
      connection.close({ signal: AbortSignal.timeout(1000) }).catch(cause => connection.abort(cause))
    }
  }
  const audit = (): void => {
    const inGossip = new Set(gossip.getPeers().map(peer => peer.toString()))
    for (const peer of node.getPeers()) {
      const peerId = peer.toString()
      const score = gossip.getScore(peerId)
      if (score < scoreThresholds.graylistThreshold) {
        guard.ban(peerId, `gossip score ${score.toFixed(0)}`)
        hangUp(peerId)
      } else if (inGossip.has(peerId)) {
        seen.add(peerId)
      } else if (seen.has(peerId)) {
        logger.debug('gossip from a connected peer ended', { peer: peerId })
        guard.penalise(peerId, LOST_GOSSIP_POINTS, 'gossip ended')
        if (guard.penaltyOf(peerId) > -scoreThresholds.graylistThreshold) guard.ban(peerId, 'gossip ended too often')
        hangUp(peerId)
      }
    }
  }
  const forget = (event: CustomEvent<{ toString(): string }>): void => {
    seen.delete(event.detail.toString())
  }
  gossip.addEventListener('gossipsub:heartbeat', audit)
  node.addEventListener('peer:disconnect', forget)
  return () => {
    gossip.removeEventListener('gossipsub:heartbeat', audit)
    node.removeEventListener('peer:disconnect', forget)
  }
}
