import { decodeRolloutBundle, decodeTaskBundle, type RolloutBundle, rootOf, type TaskBundle } from '#core/bodies.ts'
import { CanonicalError } from '#core/canonical.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'
import type { CommittedTasks } from './admitTasks.ts'
import type { PeerNode } from './peerNode.ts'

export type Commitment = { peerKey: Hex; root: Hex; count: number; contentId: Hex }

/** Peers that announced a body, its author first where that is known. */
function holders(node: PeerNode, round: number, kind: AnnouncementKind, { contentId, peerKey }: Commitment): string[] {
  const announced = node.network.announcements(round, kind).filter(one => one.contentId === contentId)
  return announced
    .map(one => one.peerId)
    .sort((a, b) => Number(peerKeyOf(b) === peerKey) - Number(peerKeyOf(a) === peerKey))
}

/** The bytes behind a content id, from the disk or else from a peer; kept. Null where nobody gives them. */
export async function fetchBody(
  node: PeerNode,
  round: number,
  kind: AnnouncementKind,
  commitment: Commitment,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const kept = await node.bundles.get(commitment.contentId)
  if (kept !== null) return kept
  const { contentId } = commitment
  const result = await node.network.fetchBundle({ contentId, from: holders(node, round, kind, commitment), signal })
  if (!result.ok) {
    node.logger.info('a body could not be had', { round, kind, contentId, reason: result.reason })
    return null
  }
  await node.bundles.put(result.bytes, round)
  return result.bytes
}

/** Decodes, and checks that the body is what its peer committed. Null, with a line in the log, where it is not. */
function checked<T extends TaskBundle | RolloutBundle>(
  node: PeerNode,
  round: number,
  { peerKey, root, count }: Commitment,
  decode: () => T,
): T | null {
  let bundle: T
  try {
    bundle = decode()
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    node.logger.info('a body is malformed', { round, peerKey, error })
    return null
  }
  const leaves =
    'tasks' in bundle ? bundle.tasks.length : bundle.groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
  const bound = bundle.chainId === node.chainId && bundle.round === round && bundle.peerKey === peerKey
  if (bound && leaves === count && rootOf(bundle) === root) return bundle
  node.logger.info('a body is not what its peer committed', { round, peerKey })
  return null
}

/** Every task bundle that was committed for a round and can be had. */
export async function fetchTasks(node: PeerNode, round: number, signal: AbortSignal): Promise<CommittedTasks[]> {
  const commitments = await node.chain.readTaskCommitments(round)
  const found = await Promise.all(
    commitments.map(async commitment => {
      const bytes = await fetchBody(node, round, 'tasks', commitment, signal)
      const bundle = bytes && checked(node, round, commitment, () => decodeTaskBundle(bytes))
      return bundle === null ? [] : [{ bundle, contentId: commitment.contentId }]
    }),
  )
  return found.flat()
}

/** `unavailable`: nobody gave the bytes, which may be our own fault; `false`: the bytes are not what was committed. */
export type FetchedRollouts = RolloutBundle | 'unavailable' | 'false'

/** The rollouts behind a commitment. */
export async function fetchRollouts(
  node: PeerNode,
  round: number,
  commitment: Commitment,
  signal: AbortSignal,
): Promise<FetchedRollouts> {
  const bytes = await fetchBody(node, round, 'rollouts', commitment, signal)
  if (bytes === null) return 'unavailable'
  return checked(node, round, commitment, () => decodeRolloutBundle(bytes)) ?? 'false'
}
