import type { Bodies, BodyOperations, OpenedBody } from '#core/bodyOperations.ts'
import type { Hex } from '#core/hex.ts'

/** What a peer committed for a round; `count` is of tasks or of leaves. */
export type Commitment = { peerKey: Hex; root: Hex; count: number; contentId: Hex }

/** The bundle in a body, if it is the one that its peer committed. */
export async function openCommitted<Kind extends 'tasks' | 'rollouts'>(
  bodies: BodyOperations,
  kind: Kind,
  bytes: Uint8Array,
  { chainId, round }: { chainId: number; round: number },
  { peerKey, root, count }: Commitment,
): Promise<OpenedBody<Bodies[Kind]> | 'malformed' | 'another'> {
  const opened = await bodies.open(kind, bytes)
  if (opened === null) return 'malformed'
  const { body, tree } = opened
  const isBound = body.chainId === chainId && body.round === round && body.peerKey === peerKey
  return isBound && tree.length === 2 * count - 1 && tree[0] === root ? opened : 'another'
}
