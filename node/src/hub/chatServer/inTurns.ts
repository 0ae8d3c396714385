/** Asks for each item, `atOnce` at the same time. @returns the answers in the order of the items. */
export async function inTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  ask: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = []
  const left = items.entries()
  const work = async () => {
    for (const [at, item] of left) answers[at] = await ask(item, at)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return answers
}
