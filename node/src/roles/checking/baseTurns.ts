import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPriorityMutex } from '#core/priorityMutex.ts'

/** The order of checks over several bases: one check at a time. */
export type BaseTurns = {
  /** Runs a check over a base in its turn. */
  run<T>(base: string, work: () => Promise<T>): Promise<T>
  /** Says that a check will not come. */
  skip(): void
}

/**
 * Loads each base once, if they do not fit into memory together. Checks over the first base run as they come. The others wait until every check has come,
 * or will not, and then run base by base: otherwise a peer that sends its work at the right moment could have them loaded again and again.
 *
 * @param expected - checks that come, or are skipped.
 * @param first - the base that does not wait; null if none has to.
 */
export function createBaseTurns(expected: number, first: string | null): BaseTurns {
  const mutex = createPriorityMutex()
  const all = Promise.withResolvers<void>()
  let come = 0

  function enter(): void {
    come += 1
    if (come !== expected) return
    // Held until all that wait are in the queue, which then takes the lowest place.
    void mutex.run('', async () => {
      all.resolve()
      await nextTurn()
    })
  }

  return {
    async run(base, work) {
      const waits = first !== null && base !== first
      enter()
      if (waits) await all.promise
      return mutex.run(waits ? `1 ${base}` : '0', work)
    },
    skip: enter,
  }
}
