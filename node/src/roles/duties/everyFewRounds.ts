import type { Journal } from '#store/journal.ts'

/** One call covers all rounds since the last. */
const EVERY_ROUNDS = 5

/**
 * Does a duty at once, and then every few rounds, whichever of them this peer plays: it may skip rounds.
 *
 * @param work - whether it was done; otherwise it is due in the next round too.
 */
export async function everyFewRounds(
  journal: Pick<Journal, 'getState' | 'setState'>,
  duty: string,
  round: number,
  work: () => Promise<boolean>,
): Promise<void> {
  const last = journal.getState(`last ${duty}`)
  if (typeof last === 'number' && round >= last && round < last + EVERY_ROUNDS) return
  if (await work()) journal.setState(`last ${duty}`, round)
}
