const MAX_SOURCES = 512

/** A queue that serves its sources in turn, so that a source with a thousand entries does not delay the others. */
export function createFairQueue<T>(perSource: number) {
  /** By source, which take turns in the order of this map; none is empty. */
  const queues = new Map<string, T[]>()

  return {
    isEmpty: () => queues.size === 0,
    /** Whether there is space for another entry of a source. */
    takes(source: string): boolean {
      const queue = queues.get(source)
      return queue === undefined ? queues.size < MAX_SOURCES : queue.length < perSource
    },
    add(source: string, entry: T): void {
      const queue = queues.get(source) ?? []
      queues.set(source, queue)
      queue.push(entry)
    },
    /** Removes `count` entries at most, one of each source in turn. */
    take(count: number): T[] {
      const taken: T[] = []
      while (taken.length < count && queues.size > 0) {
        for (const [source, queue] of [...queues]) {
          if (taken.length >= count) break
          queues.delete(source)
          taken.push(...queue.splice(0, 1))
          if (queue.length > 0) queues.set(source, queue)
        }
      }
      return taken
    },
  }
}
