/** Runs one task at a time; of those that wait, the one whose place sorts first. */
export type PriorityMutex = { run<T>(place: string, work: () => Promise<T>): Promise<T> }

export function createPriorityMutex(): PriorityMutex {
  const waiting: { place: string; begin: () => void }[] = []
  let isBusy = false

  function leave(): void {
    waiting.sort((a, b) => (a.place < b.place ? -1 : 1))
    const next = waiting.shift()
    // The next waiter takes over directly, so that no other call comes between.
    if (next === undefined) isBusy = false
    else next.begin()
  }

  return {
    async run(place, work) {
      if (isBusy) await new Promise<void>(begin => waiting.push({ place, begin }))
      isBusy = true
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
