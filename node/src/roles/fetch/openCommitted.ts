import type { ContentId, PeerKey, Root } from '#core/hashes.ts'
import type { OpenedPayload, PayloadOperations } from '#core/payloads/payloadOperations.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'

/** A peer's commitment for a round; `count` is the number of leaves. */
export type Commitment = { peerKey: PeerKey; root: Root; count: number; contentId: ContentId }

/** The rollouts in a payload, if they match its peer's commitment. */
export async function openCommitted(
  payloads: PayloadOperations,
  bytes: Uint8Array,
  { chainId, round }: { chainId: number; round: number },
  { peerKey, root, count }: Commitment,
): Promise<OpenedPayload<RolloutBundle> | 'malformed' | 'another'> {
  const opened = await payloads.open('rollouts', bytes)
  if (opened === null) return 'malformed'
  const { payload, tree } = opened
  const isBound = payload.chainId === chainId && payload.round === round && payload.peerKey === peerKey
  return isBound && tree.length === 2 * count - 1 && tree[0] === root ? opened : 'another'
}
