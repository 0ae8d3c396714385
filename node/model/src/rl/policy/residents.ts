/** Kept in memory, and can be loaded again. */
export interface Resident {
  dispose(): Promise<void>
}

export interface Residents<R extends Resident> {
  /**
   * Uses what is kept under a key, and loads it first if it is not. The least recently used are disposed of before a load, until the rest and the
   * new one fit. One that does not fit alone is disposed of after its use.
   *
   * @param size.bytes - that it takes once it is loaded.
   * @param size.turn - name of a task in which it may be loaded once, so that nobody can have it loaded again and again; and once more after each
   *   eviction by another task, whose loads are as limited.
   * @returns null if it was loaded in this turn, successfully or not, and is no longer kept.
   */
  use<T>(
    key: string,
    size: { readonly bytes: number; readonly turn?: string | undefined },
    load: () => Promise<R>,
    work: (resident: R) => Promise<T>,
  ): Promise<{ readonly value: T } | null>
  dispose(): Promise<void>
}

/** Turns whose loads are remembered: those of a round run side by side. */
const REMEMBERED_TURNS = 8

/** Keeps what was used most recently within a budget of memory. Calls run one after another. */
export function createResidents<R extends Resident>(budgetBytes: number): Residents<R> {
  // In the order of their last use.
  const kept = new Map<string, { resident: R; bytes: number }>()
  const loadedIn = new Map<string, Set<string>>()
  let queue: Promise<unknown> = Promise.resolve()

  async function evict(key: string): Promise<void> {
    const found = kept.get(key)
    kept.delete(key)
    await found?.resident.dispose()
  }

  /** Evicts the least recently used until so much more fits. The other turns may load these again. */
  async function makeRoom(bytes: number, turn: string | undefined): Promise<void> {
    for (const oldest of [...kept.keys()]) {
      if (usedBytes() + bytes <= budgetBytes) return
      for (const [other, loaded] of loadedIn) if (other !== turn) loaded.delete(oldest)
      await evict(oldest)
    }
  }

  /** Notes a load in a turn. @returns whether it is the first one. */
  function isFirstIn(turn: string, key: string): boolean {
    const loaded = loadedIn.get(turn) ?? new Set()
    if (loaded.has(key)) return false
    loadedIn.set(turn, loaded.add(key))
    for (const old of [...loadedIn.keys()].slice(0, -REMEMBERED_TURNS)) loadedIn.delete(old)
    return true
  }

  const usedBytes = () => [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0)

  return {
    use(key, { bytes, turn }, load, work) {
      const run = async () => {
        const known = kept.get(key)
        // Counted before it is loaded: a load that fails is not tried again for the next peer.
        if (known === undefined && turn !== undefined && !isFirstIn(turn, key)) return null
        if (known === undefined) await makeRoom(bytes, turn)
        const resident = known?.resident ?? (await load())
        kept.delete(key)
        kept.set(key, { resident, bytes })
        try {
          // An error of the work leaves it: a stranger's input may throw, and it could not be loaded again in this turn.
          return { value: await work(resident) }
        } finally {
          if (bytes > budgetBytes) await evict(key)
        }
      }
      const result = queue.then(run)
      queue = result.catch(() => undefined)
      return result
    },
    async dispose() {
      await queue
      for (const key of [...kept.keys()]) await evict(key)
    },
  }
}
