import { yieldToEventLoop } from './yieldToEventLoop.ts'

/**
 * Maps items in sequence, yielding to the event loop every few milliseconds.
 *
 * @param read - maps one item, without interruption.
 * @returns the results, in order.
 */
export async function mapYielding<T, R>(
  items: Iterable<T>,
  read: (item: T, at: number) => R | Promise<R>,
  yieldNow = yieldToEventLoop,
): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    await yieldNow()
    results.push(await read(item, results.length))
  }
  return results
}
