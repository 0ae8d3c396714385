/** Largest GraphQL `Int`. */
const MOST = 2_147_483_647

/**
 * A count for people to read, cut to what a GraphQL `Int` holds.
 *
 * Senders choose counts up to 2^32 - 1; one that did not fit its column would stop the index for everybody.
 */
export function shownCount(count: number): number {
  return Math.max(0, Math.min(count, MOST))
}
