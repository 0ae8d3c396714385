import type { RolloutBundle } from '#core/bodies.ts'
import type { OpenedBody } from '#core/bodyOperations.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'
import type { CommittedTasks } from './admitTasks.ts'
import { type Commitment, openCommitted } from './openCommitted.ts'
import type { PeerNode } from './peerNode.ts'

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
  const refused = await node.bundles.keep(result.bytes, round, { peerKey: commitment.peerKey, kind })
  if (refused !== null) node.logger.info('a body was not kept', { round, kind, contentId, reason: refused })
  return result.bytes
}

/** The bundle in a body. Null, with a line in the log, where it is not what its peer committed. */
async function open<Kind extends 'tasks' | 'rollouts'>(
  { bodies, chainId, logger }: PeerNode,
  round: number,
  kind: Kind,
  bytes: Uint8Array,
  commitment: Commitment,
) {
  const opened = await openCommitted(bodies, kind, bytes, { chainId, round }, commitment)
  if (typeof opened === 'object') return opened
  const { peerKey } = commitment
  if (opened === 'malformed') logger.info('a body is malformed', { round, peerKey })
  else logger.info('a body is not what its peer committed', { round, peerKey })
  return null
}

/** Task bundles with the Merkle trees of their leaves. */
export type FetchedTasks = CommittedTasks & { tree: readonly Hex[] }

/** Every task bundle that was committed for a round and can be had. */
export async function fetchTasks(node: PeerNode, round: number, signal: AbortSignal): Promise<FetchedTasks[]> {
  const commitments = await node.chain.readTaskCommitments(round)
  const found = await Promise.all(
    commitments.map(async commitment => {
      const bytes = await fetchBody(node, round, 'tasks', commitment, signal)
      const opened = bytes && (await open(node, round, 'tasks', bytes, commitment))
      return opened === null ? [] : [{ bundle: opened.body, tree: opened.tree, contentId: commitment.contentId }]
    }),
  )
  return found.flat()
}

/** `unavailable`: nobody gave the bytes, which may be our own fault; `false`: the bytes are not what was committed. */
export type FetchedRollouts = OpenedBody<RolloutBundle> | 'unavailable' | 'false'

/** The rollouts behind a commitment. */
export async function fetchRollouts(
  node: PeerNode,
  round: number,
  commitment: Commitment,
  signal: AbortSignal,
): Promise<FetchedRollouts> {
  const bytes = await fetchBody(node, round, 'rollouts', commitment, signal)
  if (bytes === null) return 'unavailable'
  return (await open(node, round, 'rollouts', bytes, commitment)) ?? 'false'
}
