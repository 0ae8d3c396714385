import type { Bodies, BodyOperations } from '#core/payloads/bodyOperations.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import { openCommitted } from '../fetch/openCommitted.ts'
import type { Committed } from './commitments.ts'

type Place = { chainId: number; round: number }

/** The bundle in the bytes, if it is of that round and of the peer that the commitment is of, and what that says. */
export async function openAnnounced(
  bodies: BodyOperations,
  kind: AnnouncementKind,
  bytes: Uint8Array,
  place: Place,
  commitment: Committed,
): Promise<Bodies[AnnouncementKind] | null> {
  if (kind === 'rollouts') {
    const opened = await openCommitted(bodies, bytes, place, commitment)
    return typeof opened === 'string' ? null : opened.body
  }
  const body = (await bodies.open(kind, bytes))?.body
  if (body === undefined || body.chainId !== place.chainId || body.round !== place.round) return null
  const author = 'evaluatorKey' in body ? body.evaluatorKey : body.peerKey
  if (author !== commitment.peerKey) return null
  return 'policyHash' in body && body.policyHash !== commitment.policyHash ? null : body
}
