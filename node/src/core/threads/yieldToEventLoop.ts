/** Work between two turns of the event loop, ms: together with the current item and other work of a turn, well below 20 ms. */
const WORK_MS = 4

/** Await it before more work: the next turn of the event loop, or undefined while there is time left in this one. */
type Yield = () => Promise<void> | undefined

/**
 * Creates a yield for long computations. Computations that share one share the time between two turns. Those that wait are woken
 * one per turn, in order, so that each has a whole turn.
 *
 * @param next - calls back in the next turn of the event loop.
 */
export function createYield(
  nowMs = () => performance.now(),
  next: (wake: () => void) => void = wake => setImmediate(wake),
): Yield {
  const waiting: (() => void)[] = []
  let startedMs = Number.NEGATIVE_INFINITY

  const wake = (): void => {
    startedMs = nowMs()
    waiting.shift()?.()
    if (waiting.length > 0) next(wake)
  }

  return () => {
    if (nowMs() - startedMs < WORK_MS) return undefined
    if (waiting.length === 0) next(wake)
    return new Promise(resolve => waiting.push(resolve))
  }
}

/** The yield of this process. */
export const yieldToEventLoop = createYield()
