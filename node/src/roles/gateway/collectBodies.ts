import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import type { Announcement } from '#p2p/announcement.ts'
import { type AnnouncementKind, announcementKinds } from '#p2p/topics.ts'
import { fetchBody } from '../fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'

/** A body that was announced and is kept: its author and its content id. */
export type KeptBody = { peerId: string; contentId: Hex }

/**
 * Fetches every body that is announced, keeps it, and notes whose it is; so that pages can show what the chain only hashes.
 *
 * @returns ends it, and resolves when what was under way is over.
 */
export function collectBodies(
  node: PeerNode,
  onBody: (announcement: Announcement, bytes: Uint8Array) => Promise<void>,
): () => Promise<void> {
  const underWay = new Set<Promise<void>>()
  const take = async (announcement: Announcement) => {
    const { kind, round, peerId, contentId, root, count } = announcement
    const commitment = { peerKey: peerKeyOf(peerId), root, count, contentId }
    const bytes = await fetchBody(node, round, kind, commitment, node.signal)
    if (bytes === null || node.signal.aborted) return
    node.journal.set(round, `${kind} ${peerId}`, contentId)
    await onBody(announcement, bytes)
  }
  const stops = announcementKinds.map(kind =>
    node.network.onAnnouncement(kind, announcement => {
      const work = take(announcement).finally(() => underWay.delete(work))
      underWay.add(work)
      return work
    }),
  )
  return async () => {
    for (const stop of stops) stop()
    await Promise.allSettled(underWay)
  }
}

/** The bodies of a kind that are kept of a round. */
export function keptBodies({ journal }: PeerNode, round: number, kind: AnnouncementKind): KeptBody[] {
  return Object.entries(journal.round(round)).flatMap(([key, contentId]) => {
    const [of, peerId] = key.split(' ')
    return of === kind && peerId !== undefined ? [{ peerId, contentId: contentId as Hex }] : []
  })
}
