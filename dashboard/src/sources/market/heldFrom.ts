/**
 * Lowest game whose holdings are all in an answer.
 *
 * @param holdings - those of the newest games, the newest first.
 * @param limit - most holdings that the answer can have.
 */
export function heldFrom(holdings: readonly { gameId: bigint }[], limit: number): bigint {
  const last = holdings.at(-1)
  // Others of the last game may be beyond it.
  return last === undefined || holdings.length < limit ? 0n : last.gameId + 1n
}
