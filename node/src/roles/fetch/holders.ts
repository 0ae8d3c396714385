import type { ContentId, PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import type { Network } from '#p2p/network.ts'

/** What is fetched from peers. A policy is announced by nobody: the chain says its hash, and its author is who announced rollouts. */
export type FetchKind = AnnouncementKind | 'policy'

/** A body by what the chain or an announcement says of it. */
export type WantedBody = {
  kind: FetchKind
  round: number
  contentId: ContentId
  peerKey: PeerKey
  /** Whether it is worth waiting for an author that cannot be reached. */
  mayReturn?: boolean
}

/** `maxBytes`: what it announced, or undefined where it announced nothing. */
export type Holder = { peerId: string; peerKey: PeerKey; isAuthor: boolean; maxBytes: number | undefined }

/**
 * Peers that may have a body, in the order to ask them: its author, others that announced it, then connected ones. An author
 * that announced another body of the kind and round since keeps this one too: the chain may not have taken its amendment.
 */
export function holdersOf(
  network: Pick<Network, 'peerId' | 'announcements' | 'connectedPeers'>,
  { kind, round, contentId, peerKey: author }: WantedBody,
): Holder[] {
  const announced = network.announcements(round, kind === 'policy' ? 'rollouts' : kind)
  const sizes = new Map<string, number | undefined>()
  for (const one of announced) if (one.contentId === contentId) sizes.set(one.peerId, one.size)
  for (const peerId of network.connectedPeers()) if (!sizes.has(peerId)) sizes.set(peerId, undefined)
  sizes.delete(network.peerId)
  const holders = [...sizes].map(([peerId, maxBytes]) => holderOf(peerId, maxBytes, author))
  if (!holders.some(({ isAuthor }) => isAuthor)) {
    const found = announced.find(({ peerId }) => peerId !== network.peerId && peerKeyOf(peerId) === author)
    if (found !== undefined) holders.push(holderOf(found.peerId, undefined, author))
  }
  return holders.sort((a, b) => Number(b.isAuthor) - Number(a.isAuthor))
}

function holderOf(peerId: string, maxBytes: number | undefined, author: Hex): Holder {
  const peerKey = peerKeyOf(peerId)
  return { peerId, peerKey, maxBytes, isAuthor: peerKey === author }
}
