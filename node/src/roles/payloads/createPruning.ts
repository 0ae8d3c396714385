/** Rounds whose bundles and facts are kept: what is still voted on, and some history for people to read. */
const ROUNDS_KEPT = 200

/** Consecutive rounds that this node must have worked in before anything older than all of them is deleted. */
const CONFIRMED_BY = 3

/**
 * Derives the first round that is kept from the rounds that a node works in.
 *
 * It follows the lowest of the last few: a clock that jumps ahead once deletes nothing.
 *
 * @returns the first round that is kept; null while too few rounds were seen.
 */
export function createPruning(): (round: number) => number | null {
  const last: number[] = []
  return round => {
    last.push(round)
    if (last.length > CONFIRMED_BY) last.shift()
    return last.length < CONFIRMED_BY ? null : Math.min(...last) - ROUNDS_KEPT
  }
}
