import { z } from 'zod'
import { mapPart, type Part } from './part.ts'
import { queryIndexer } from './queryIndexer.ts'

const item = z.object({
  id: z.string(),
  kind: z.string(),
  round: z.int().nullable(),
  peerKey: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  atSec: z.int(),
  peer: z.object({ name: z.string(), peerId: z.string() }).nullable(),
})

const answer = z.object({ feedItems: z.object({ items: z.array(item) }) })

export type FeedItem = z.infer<typeof item>

const QUERY = `query Feed($limit: Int) {
  feedItems(orderBy: "id", orderDirection: "desc", limit: $limit) {
    items { id kind round peerKey detail atSec peer { name peerId } }
  }
}`

/** The latest events of the contracts, newest first. */
export async function getFeed(limit: number): Promise<Part<FeedItem[]>> {
  return mapPart(await queryIndexer(QUERY, { limit }, answer), ({ feedItems }) => feedItems.items)
}
