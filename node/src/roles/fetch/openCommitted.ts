import type { ContentId, PeerKey, Root } from '#core/hashes.ts'
import type { RolloutBundle } from '#core/payloads/bodies.ts'
import type { BodyOperations, OpenedBody } from '#core/payloads/bodyOperations.ts'

/** What a peer committed for a round; `count` is of leaves. */
export type Commitment = { peerKey: PeerKey; root: Root; count: number; contentId: ContentId }

/** The rollouts in a body, if they are those that its peer committed. */
export async function openCommitted(
  bodies: BodyOperations,
  bytes: Uint8Array,
  { chainId, round }: { chainId: number; round: number },
  { peerKey, root, count }: Commitment,
): Promise<OpenedBody<RolloutBundle> | 'malformed' | 'another'> {
  const opened = await bodies.open('rollouts', bytes)
  if (opened === null) return 'malformed'
  const { body, tree } = opened
  const isBound = body.chainId === chainId && body.round === round && body.peerKey === peerKey
  return isBound && tree.length === 2 * count - 1 && tree[0] === root ? opened : 'another'
}
