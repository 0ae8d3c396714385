import type { Stream } from '@libp2p/interface'
import type { Node } from '../libp2pNode.ts'
import { peerIdFor } from './connectedPeers.ts'

/**
 * Opens a stream to a peer: over a direct connection, else over a relayed one, else over a new one.
 *
 * libp2p's `dialProtocol` skips relayed connections. It dials again for each stream, and fails if a peer that dialled us through a relay
 * has no known address.
 */
export async function openStream(node: Node, peer: string, protocol: string, signal: AbortSignal): Promise<Stream> {
  const peerId = peerIdFor(node, peer)
  const options = { signal, runOnLimitedConnection: true }
  const open = node.getConnections(peerId).filter(({ status }) => status === 'open')
  // The newest: an older one may belong to a process that has restarted.
  const connection = open.findLast(({ direct }) => direct) ?? open.at(-1)
  return connection ? connection.newStream(protocol, options) : node.dialProtocol(peerId, protocol, options)
}
