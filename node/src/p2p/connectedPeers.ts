import type { Libp2p, PeerId } from '@libp2p/interface'

/**
 * Peers with an open connection, by id.
 *
 * libp2p's `getPeers` makes every peer id anew from its string, which takes a root modulo a curve's prime: a quarter of a
 * millisecond each, on the event loop, however often it is asked.
 */
export function connectedPeers(node: Pick<Libp2p, 'getConnections'>): Map<string, PeerId> {
  return new Map(node.getConnections().map(({ remotePeer }) => [remotePeer.toString(), remotePeer]))
}
