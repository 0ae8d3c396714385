import type { LiveItem } from '#merge/mergeFeed.ts'
import type { Freshness } from './freshness.ts'

interface Seen {
  /** The game's, as the page has it. */
  totalStake: string
  items: readonly LiveItem[]
  freshness: Freshness
}

/**
 * Another value whenever the chain may have something new of a game: with its newest event, which a reorganisation may take back, and, since a stream
 * that was away may have missed some, with its stakes and with the stream.
 */
export function gameNews(gameId: string, { totalStake, items, freshness }: Seen): string {
  const newest = items.findLast(({ detail }) => detail.gameId === gameId)?.id
  const isBehind = freshness.state === 'lost' || freshness.state === 'stale'
  return `${newest} ${totalStake} ${isBehind}`
}
