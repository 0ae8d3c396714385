import type { FeedItem } from '#sources/getFeed.ts'
import { foldBets } from './foldBets.ts'

/** An event as the live stream sends it: the stream knows keys, not names. */
export type LiveItem = Omit<FeedItem, 'peer'>

export interface LiveChanges {
  items: LiveItem[]
  /** Ids of events that a reorganisation took back. */
  retracted: string[]
}

/** The feed as the page had it, and what the stream has sent since: newest first, each event once, its peer named as far as known, bets folded. */
export function mergeFeed(page: FeedItem[], live: LiveChanges, limit: number): FeedItem[] {
  const peers = new Map(page.map(item => [item.peerKey, item.peer]))
  const byId = new Map<string, FeedItem>()
  for (const item of live.items) byId.set(item.id, { ...item, peer: peers.get(item.peerKey) ?? nameIn(item) })
  // The page's own rows come last: they have names.
  for (const item of page) byId.set(item.id, item)
  for (const id of live.retracted) byId.delete(id)
  return foldBets([...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))).slice(0, limit)
}

/**
 * The items that the index still has, after a time without the stream: a reorganisation may have undone some unheard.
 *
 * @param ids - of the newest rows of the index, oldest first; it does not say which of the rows before them are left.
 */
export function keepKnown(items: readonly LiveItem[], ids: readonly string[]): LiveItem[] {
  const [first = ''] = ids
  return items.filter(({ id }) => id < first || ids.includes(id))
}

/** A registration carries the peer's name itself. */
function nameIn({ kind, detail }: LiveItem): FeedItem['peer'] {
  if (kind !== 'peerRegistered') return null
  return { name: String(detail.name ?? ''), peerId: String(detail.peerId ?? '') }
}
