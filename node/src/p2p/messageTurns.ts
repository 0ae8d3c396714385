import { setImmediate } from 'node:timers/promises'

export type MessageTurns = {
  /** Resolves on a turn of the event loop that no other caller gets. */
  enter(): Promise<void>
}

/**
 * Gives everybody who handles a message a turn of the event loop of its own, first come, first served: a burst of messages
 * that lie ready is otherwise one chain of microtasks, and nothing else gets in between.
 *
 * Not the turns of `#core/turns.ts`, which let pass whoever asks within some milliseconds: of a burst, all ask before any works.
 */
export function createMessageTurns(): MessageTurns {
  let last = Promise.resolve()
  return {
    enter() {
      last = last.then(() => setImmediate())
      return last
    },
  }
}
