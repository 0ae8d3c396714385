import { setImmediate } from 'node:timers/promises'

export type MessageQueue = {
  /** Resolves in a turn of the event loop that no other caller gets. */
  enter(): Promise<void>
}

/**
 * Gives each handler of a message its own turn of the event loop, first come, first served: otherwise a burst of waiting messages is one chain of
 * microtasks, and nothing else runs in between.
 *
 * `#core/threads/yieldToEventLoop.ts` does not do that: all callers of a burst ask before any works, so it lets all of them pass.
 */
export function createMessageQueue(): MessageQueue {
  let last = Promise.resolve()
  return {
    enter() {
      last = last.then(() => setImmediate())
      return last
    },
  }
}
