/** Caches a read by its round, also while it runs. A failed read affects only the caller that started it. */
export function onceForEach<T>(read: (round: number) => Promise<T>): (round: number) => Promise<T> {
  const known = new Map<number, Promise<T>>()
  return async round => {
    for (let found = known.get(round); found !== undefined; found = known.get(round)) {
      try {
        return await found
      } catch {
        // The next caller after a failure reads again.
        if (known.get(round) === found) known.delete(round)
      }
    }
    const own = read(round)
    known.set(round, own)
    return own
  }
}
