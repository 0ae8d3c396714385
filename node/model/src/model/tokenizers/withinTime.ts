import { createContext, Script } from 'node:vm'

/** A piece of work took longer than it may. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError'
}

const slot: { work?: (() => unknown) | undefined; result?: unknown } = {}
const context = createContext({ slot })
const script = new Script('slot.result = slot.work()')

/** Of this thread; of the whole process before Node 23.9, which gives up sooner. */
const cpuUsage = (process.threadCpuUsage ?? process.cpuUsage).bind(process)

/** On a busy machine a thread may be given little of its time: work that used less than half of it as processor time is run again. */
const ATTEMPTS = 5

/**
 * Runs synchronous work that a file controls (a template's loops, a pattern's backtracking), and stops it when its time is up.
 *
 * V8 can only be interrupted from outside: the runtime's watchdog thread does it. It costs about half a millisecond.
 *
 * @param work - without effects: it may be started again.
 * @throws {OutOfTimeError} after `timeMs`; errors of the work are thrown unchanged.
 */
export function withinTime<T>(timeMs: number, work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const before = cpuUsage()
    try {
      return runOnce(timeMs, work)
    } catch (cause) {
      const { user, system } = cpuUsage(before)
      const isStarved = (user + system) / 1_000 < timeMs / 2
      if (!(cause instanceof OutOfTimeError && isStarved && attempt < ATTEMPTS)) throw cause
    }
  }
}

function runOnce<T>(timeMs: number, work: () => T): T {
  slot.work = work
  try {
    script.runInContext(context, { timeout: timeMs })
    return slot.result as T
  } catch (cause) {
    if ((cause as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause
    throw new OutOfTimeError(`not done after ${timeMs} ms`, { cause })
  } finally {
    slot.work = undefined
    slot.result = undefined
  }
}
