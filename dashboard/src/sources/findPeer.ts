import { z } from 'zod'
import { mapPart, type Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

const answer = z.object({ peers: z.object({ items: z.array(z.object({ peerKey: z.string() })) }) })

const QUERY = `query FindPeer($peerId: String!, $name: String!) {
  peers(where: { OR: [{ peerId: $peerId }, { name: $name }] }, limit: 2) { items { peerKey } }
}`

/** The key of the one peer with an id, or a name in which hyphens may stand for spaces; null if there is none, or more than one. */
export async function findPeer(text: string): Promise<Part<string | null>> {
  const part = await queryIndexer(QUERY, { peerId: text, name: text.replaceAll('-', ' ').toLowerCase() }, answer)
  return mapPart(part, ({ peers }) => (peers.items.length === 1 ? (peers.items[0]?.peerKey ?? null) : null))
}
