import type { Libp2p, PeerId } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'

/**
 * Peers with an open connection, by id.
 *
 * libp2p's `getPeers` parses every peer id from its string on each call. That takes a root modulo a curve's prime: a quarter of
 * a millisecond each, on the event loop.
 */
export function connectedPeers(node: Pick<Libp2p, 'getConnections'>): Map<string, PeerId> {
  return new Map(node.getConnections().map(({ remotePeer }) => [remotePeer.toString(), remotePeer]))
}

/** The id of a peer, parsed only if the peer is not connected. @throws if the text is not a peer id. */
export function peerIdFor(node: Pick<Libp2p, 'getConnections'>, peerId: string): PeerId {
  return connectedPeers(node).get(peerId) ?? peerIdFromString(peerId)
}
