import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import type { Network } from '#p2p/network.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'

/** A body by what the chain or an announcement says of it. */
export type WantedBody = { kind: AnnouncementKind; round: number; contentId: Hex; peerKey: Hex }

/** `maxBytes`: what it announced, or undefined where it announced nothing. */
export type Holder = { peerId: string; peerKey: Hex; isAuthor: boolean; maxBytes: number | undefined }

/** Peers that may have a body, in the order to ask them: its author, others that announced it, then connected ones. */
export function holdersOf(
  network: Pick<Network, 'peerId' | 'announcements' | 'connectedPeers'>,
  { kind, round, contentId, peerKey: author }: WantedBody,
): Holder[] {
  const sizes = new Map<string, number | undefined>()
  for (const one of network.announcements(round, kind)) if (one.contentId === contentId) sizes.set(one.peerId, one.size)
  for (const peerId of network.connectedPeers()) if (!sizes.has(peerId)) sizes.set(peerId, undefined)
  sizes.delete(network.peerId)
  const holders = [...sizes].map(([peerId, maxBytes]) => {
    const peerKey = peerKeyOf(peerId)
    return { peerId, peerKey, maxBytes, isAuthor: peerKey === author }
  })
  return holders.sort((a, b) => Number(b.isAuthor) - Number(a.isAuthor))
}
