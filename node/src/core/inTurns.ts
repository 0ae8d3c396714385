import { turns as ofProcess } from './turns.ts'

/**
 * Maps item after item, and gives the event loop a turn between two of them whenever some milliseconds have gone.
 *
 * @param read - of one item: what it computes is not interrupted.
 * @returns the results, in order.
 */
export async function inTurns<T, R>(
  items: Iterable<T>,
  read: (item: T, at: number) => R | Promise<R>,
  turns = ofProcess,
): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    await turns.give()
    results.push(await read(item, results.length))
  }
  return results
}
