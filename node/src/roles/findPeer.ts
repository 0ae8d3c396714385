import { NodeError } from '#base/errors.ts'
import type { RegisteredPeer } from '#chain/peers/readPeers.ts'
import { nearest } from '#core/nearest.ts'
import { peerName } from '#core/peers/peerName.ts'

/** No registered peer has that name, or several do. */
class UnknownPeerError extends NodeError {
  override readonly code = 'UNKNOWN_PEER'
}

/**
 * Finds a registered peer by its three words, with any separator, by its peer id, or by its key on the chain.
 *
 * @throws {UnknownPeerError}
 */
export function findPeer(peers: readonly RegisteredPeer[], asked: string): RegisteredPeer {
  const words = (name: string) =>
    name
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      .trim()
  const found = peers.filter(
    ({ peerId, peerKey }) =>
      peerId === asked || peerKey === asked.toLowerCase() || words(peerName(peerId)) === words(asked),
  )
  const [peer] = found
  if (peer === undefined) {
    const meant = nearest(
      words(asked),
      peers.map(({ peerId }) => peerName(peerId)),
    )
    throw new UnknownPeerError(`No registered peer has the id, key or name ${asked}.`, {
      hint: `${meant === undefined ? '' : `Did you mean '${meant}'? `}Give its three words, its peer id, or its key: its status and npx waggle leaderboard show them.`,
    })
  }
  if (found.length > 1)
    throw new UnknownPeerError(
      `${found.length} peers match ${asked}: ${found.map(({ peerId }) => peerId).join(', ')}.`,
      {
        hint: 'Give the peer id of the one that you mean.',
      },
    )
  return peer
}
