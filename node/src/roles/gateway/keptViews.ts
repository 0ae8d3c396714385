/** Views that are kept: each may hold the texts of a round's 32 MiB of payloads. */
const MOST = 2

/** The view of a round, made again only if one of its parts has changed. */
export type KeptViews<T> = (round: number, parts: readonly unknown[], make: () => Promise<T>) => Promise<T>

/** Keeps the views of the rounds that were asked for last: an open page asks again after each event of the swarm. A failure is not kept. */
export function createKeptViews<T>(): KeptViews<T> {
  const kept = new Map<number, { parts: readonly unknown[]; value: Promise<T> }>()
  return (round, parts, make) => {
    const before = kept.get(round)
    const isSame = before?.parts.length === parts.length && before.parts.every((part, index) => part === parts[index])
    const one = before !== undefined && isSame ? before : { parts, value: make() }
    kept.delete(round)
    kept.set(round, one)
    for (const oldest of kept.keys()) if (kept.size > MOST) kept.delete(oldest)
    one.value.catch(() => {
      if (kept.get(round) === one) kept.delete(round)
    })
    return one.value
  }
}
