/** Maps each item, at most `concurrency` at a time. @returns the results in the order of the items. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const left = items.entries()
  const work = async () => {
    for (const [index, item] of left) results[index] = await map(item, index)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
  return results
}
