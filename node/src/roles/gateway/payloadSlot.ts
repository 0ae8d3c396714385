import type { Announcement } from '#p2p/gossip/announcement.ts'
import { kindsInParts } from '#store/payloadQuota.ts'

/**
 * A payload's slot among those of its round: a later payload of the same author replaces an earlier one, unless its kind comes in parts.
 * The slot's name consists of words separated by spaces: kind, peer id, and for a part its content id.
 */
export function slotOf({ kind, peerId, contentId }: Pick<Announcement, 'kind' | 'peerId' | 'contentId'>): string {
  return kindsInParts.has(kind) ? `${kind} ${peerId} ${contentId}` : `${kind} ${peerId}`
}
