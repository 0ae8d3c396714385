import type { RoundTime } from '#chain/roundClock.ts'
import { contentIdYielding } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'
import type { PeerNode } from './peerNode.ts'

/** Of a timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1

export type PublishedBody = { kind: AnnouncementKind; round: number; root?: Hex; count?: number; policyHash?: Hex }

/** Keeps a body for whoever asks and tells the swarm of it. @returns its content id. */
export async function publishBody(node: PeerNode, bytes: Uint8Array, body: PublishedBody): Promise<Hex> {
  const { kind, round, root = ZERO_HASH, count = 0, policyHash = ZERO_HASH } = body
  const contentId = await node.bundles.put(bytes, round)
  await node.network.publish({ kind, round, root, count, policyHash, contentId, size: bytes.byteLength })
  return contentId
}

/**
 * Keeps a body, and serves and announces it once its round has ended. While commitments are open, an answer that others can read is
 * an answer that they can commit.
 *
 * @param begun - the time of the body's round, as it was told at `atMs` of the node's clock.
 * @returns its content id.
 */
export async function sealBody(
  node: PeerNode,
  bytes: Uint8Array,
  body: Required<PublishedBody>,
  begun: { time: RoundTime; atMs: number },
): Promise<Hex> {
  const { bundles, sealed, clock, signal, logger } = node
  const contentId = await contentIdYielding(bytes)
  sealed.add({ ...body, contentId, size: bytes.byteLength })
  await bundles.put(bytes, body.round)
  const leftMs = (begun.time.endsAtSec - begun.time.nowSec) * 1000 - (clock.nowMs() - begun.atMs)
  // The end of a manual round is not known: the next round's start publishes its bodies.
  if (leftMs < MAX_TIMER_MS)
    void clock
      .sleep(Math.max(0, leftMs), signal)
      .then(() => publishSealed(node, body.round + 1))
      .catch(error => {
        if (!signal.aborted) logger.warn('bodies were not published at the end of their round', { error })
      })
  return contentId
}

/** Serves and announces the sealed bodies of rounds before this one. */
export async function publishSealed({ sealed, network }: PeerNode, round: number): Promise<void> {
  const due = sealed.open(round)
  for (const body of due) await network.publish(body)
  if (due.length > 0) sealed.forgetOpened()
}
