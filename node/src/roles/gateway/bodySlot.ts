import { kindsInParts } from '#store/bodyQuota.ts'
import type { OfferedBody } from './collectBodies.ts'

/**
 * A body's place among those of its round: a later body of the same author takes the place of an earlier one, unless its kind
 * comes in parts. Words split by a space: kind, peer id, and of a part its content id.
 */
export function slotOf({ kind, peerId, contentId }: Pick<OfferedBody, 'kind' | 'peerId' | 'contentId'>): string {
  return kindsInParts.has(kind) ? `${kind} ${peerId} ${contentId}` : `${kind} ${peerId}`
}
