import { yieldToEventLoop } from './yieldToEventLoop.ts'

/**
 * Maps items one after another, and yields to the event loop between two of them every few milliseconds.
 *
 * @param read - maps one item: what it computes is not interrupted.
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
