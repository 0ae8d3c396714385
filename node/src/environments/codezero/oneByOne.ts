import { setImmediate } from 'node:timers/promises'

/** Maps item after item with a turn of the event loop between them: reading code and making tokens takes some ms for each. */
export async function oneByOne<T, R>(items: readonly T[], read: (item: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    results.push(await read(item))
    await setImmediate()
  }
  return results
}
