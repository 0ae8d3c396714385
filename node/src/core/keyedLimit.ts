export type KeyedLimit = {
  /**
   * Runs `work` when fewer than the limit run under `key`; others wait, first come, first served.
   *
   * @throws the signal's reason if it aborts while `work` waits.
   */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** How many wait under `key`. */
  waiting(key: string): number
}

export function createKeyedLimit(limit: number): KeyedLimit {
  const running = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()

  async function enter(key: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const count = running.get(key) ?? 0
    if (count < limit) return void running.set(key, count + 1)
    const queue = waiting.get(key) ?? new Set()
    waiting.set(key, queue)
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.delete(resume)
        reject(signal?.reason)
      }
      const resume = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      queue.add(resume)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  function leave(key: string): void {
    const queue = waiting.get(key)
    const [next] = queue ?? []
    if (next !== undefined) {
      // A finished call hands over its place, so the count does not change.
      queue?.delete(next)
      next()
      return
    }
    waiting.delete(key)
    const count = (running.get(key) ?? 1) - 1
    if (count === 0) running.delete(key)
    else running.set(key, count)
  }

  return {
    waiting: key => waiting.get(key)?.size ?? 0,
    async run(key, work, signal) {
      await enter(key, signal)
      try {
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}
