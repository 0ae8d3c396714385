import type { PayloadOperations, Payloads } from '#core/payloads/payloadOperations.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import { openCommitted } from '../fetch/openCommitted.ts'
import type { Committed } from './commitments.ts'

type Place = { chainId: number; round: number }

/** The bundle in the bytes, if it is of that round and of the peer that the commitment is of, and what that says. */
export async function openAnnounced(
  payloads: PayloadOperations,
  kind: AnnouncementKind,
  bytes: Uint8Array,
  place: Place,
  commitment: Committed,
): Promise<Payloads[AnnouncementKind] | null> {
  if (kind === 'rollouts') {
    const opened = await openCommitted(payloads, bytes, place, commitment)
    return typeof opened === 'string' ? null : opened.payload
  }
  const payload = (await payloads.open(kind, bytes))?.payload
  if (payload === undefined || payload.chainId !== place.chainId || payload.round !== place.round) return null
  const author = 'evaluatorKey' in payload ? payload.evaluatorKey : payload.peerKey
  if (author !== commitment.peerKey) return null
  return 'policyHash' in payload && payload.policyHash !== commitment.policyHash ? null : payload
}
