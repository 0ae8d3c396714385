import type { PeerKey } from '#core/hashes.ts'
import { type PayloadOperations, type PeerScore, payloadsHere, type ScoreSheet } from '#core/payloads/payloads.ts'

/** The evaluator to whose vote a score sheet belongs. */
type Seat = { chainId: number; round: number; evaluatorKey: PeerKey }

/**
 * The score sheet of a seat in the payload that its vote names.
 *
 * @returns null for anything else: an evaluator may commit to any bytes, also to the score sheet of another evaluator or round.
 */
export async function openScoreSheet(
  payloads: PayloadOperations,
  bytes: Uint8Array,
  { chainId, round, evaluatorKey }: Seat,
): Promise<ScoreSheet | null> {
  const scoreSheet = (await payloads.open('scores', bytes))?.payload
  if (scoreSheet?.chainId !== chainId || scoreSheet.round !== round || scoreSheet.evaluatorKey !== evaluatorKey)
    return null
  return scoreSheet
}

/** A peer's entry in the score sheet of a seat; null if it has none. */
export async function readPeerScore(bytes: Uint8Array, seat: Seat, peerKey: PeerKey): Promise<PeerScore | null> {
  const scoreSheet = await openScoreSheet(payloadsHere, bytes, seat)
  return scoreSheet?.peers.find(one => one.peerKey === peerKey) ?? null
}
