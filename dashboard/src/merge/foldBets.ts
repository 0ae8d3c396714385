import type { FeedItem } from '#sources/getFeed.ts'

/**
 * Bets of one game and round of bets as one item, where the newest of them was: its detail has how many `bets` by how many `accounts`,
 * and the sum of their stakes. A bet on its own stays as it is.
 *
 * @param items - newest first.
 */
export function foldBets(items: readonly FeedItem[]): FeedItem[] {
  const rounds = Map.groupBy(items, ({ id, kind, detail }) =>
    kind === 'betPlaced' ? `${detail.gameId}/${detail.bettingRound}` : id,
  )
  return [...rounds.values()].flatMap(([newest, ...older]) => {
    if (newest === undefined) return []
    return [older.length === 0 ? newest : { ...newest, detail: summed([newest, ...older]) }]
  })
}

function summed(bets: readonly FeedItem[]): FeedItem['detail'] {
  const { gameId = null, bettingRound = null } = bets[0]?.detail ?? {}
  const stakeWei = bets.reduce((sum, { detail }) => sum + BigInt(detail.stakeWei ?? 0), 0n)
  const accounts = new Set(bets.map(({ detail }) => detail.account)).size
  return { gameId, bettingRound, bets: bets.length, accounts, stakeWei: String(stakeWei) }
}
