import type { Hex } from '#core/hex.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'
import type { PeerNode } from './peerNode.ts'

export type PublishedBody = { kind: AnnouncementKind; round: number; root?: Hex; count?: number; policyHash?: Hex }

/** Keeps a body for whoever asks and tells the swarm of it. @returns its content id. */
export async function publishBody(node: PeerNode, bytes: Uint8Array, body: PublishedBody): Promise<Hex> {
  const { kind, round, root = ZERO_HASH, count = 0, policyHash = ZERO_HASH } = body
  const contentId = await node.bundles.put(bytes, round)
  await node.network.publish({ kind, round, root, count, policyHash, contentId, size: bytes.byteLength })
  return contentId
}
