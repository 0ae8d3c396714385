export type KeyedLimit = {
  /** Runs `work` when fewer than the limit run under `key`; the others wait their turn, first come, first served. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createKeyedLimit(limit: number): KeyedLimit {
  const running = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()
  return {
    async run(key, work) {
      const count = running.get(key) ?? 0
      if (count >= limit) {
        const queue = waiting.get(key) ?? []
        waiting.set(key, queue)
        // Whoever finishes hands its place over, so the count stays as it is.
        await new Promise<void>(resolve => queue.push(resolve))
      } else {
        running.set(key, count + 1)
      }
      try {
        return await work()
      } finally {
        const next = waiting.get(key)?.shift()
        if (next !== undefined) next()
        else if (running.get(key) === 1) {
          running.delete(key)
          waiting.delete(key)
        } else running.set(key, (running.get(key) ?? 1) - 1)
      }
    },
  }
}
