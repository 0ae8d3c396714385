/** Rounds that duties ask for again and again: from the one that is voted on to the one whose openings are closed. */
const KEPT_ROUNDS = 6

/**
 * A read of a round, once for all duties where nothing can change it any more: of a large swarm each takes tens of megabytes of the endpoint's answers.
 *
 * @param isOver - whether the round's last block is too deep to change, as far as is known.
 */
export function keepFinal<T>(
  read: (round: number) => Promise<T>,
  isOver: (round: number) => boolean,
): (round: number) => Promise<T> {
  const kept = new Map<number, Promise<T>>()
  return round => {
    const known = kept.get(round)
    if (known !== undefined) return known
    // Asked first: what is read after it is all there is.
    const isFinal = isOver(round)
    const value = read(round)
    if (!isFinal) return value
    kept.set(round, value)
    value.catch(() => kept.delete(round))
    for (const oldest of kept.keys()) if (kept.size > KEPT_ROUNDS) kept.delete(oldest)
    return value
  }
}
