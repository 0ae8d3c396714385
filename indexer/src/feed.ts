import type { Context, Event } from 'ponder:registry'
import { feedItem } from 'ponder:schema'

type Item = Pick<typeof feedItem.$inferInsert, 'kind' | 'detail'> & { round?: number; peerKey?: `0x${string}` }

/** Adds an event to the feed, once, in its place in the chain's order. */
export async function addToFeed(context: Context, event: Event, item: Item): Promise<void> {
  await context.db.insert(feedItem).values({
    id: event.id,
    kind: item.kind,
    round: item.round ?? null,
    peerKey: item.peerKey ?? null,
    detail: item.detail,
    atSec: Number(event.block.timestamp),
    blockNumber: Number(event.block.number),
    blockHash: event.block.hash,
    transactionHash: event.transaction.hash,
  })
}
