/** Work between two turns of the event loop: with an item that is under way, and with what else a turn does, well below 20 ms. */
const WORK_MS = 4

/**
 * Gives the event loop turns while much is computed on it.
 *
 * One for the whole process: pieces of work that run side by side share what time there is between two turns, and those that wait
 * are woken one a turn, in order, so that each has all of it.
 */
export class Turns {
  readonly #nowMs: () => number
  readonly #next: (wake: () => void) => void
  readonly #waiting: (() => void)[] = []
  #begunMs = Number.NEGATIVE_INFINITY

  /** @param next - calls back in the next turn of the event loop. */
  constructor(nowMs = () => performance.now(), next: (wake: () => void) => void = wake => setImmediate(wake)) {
    this.#nowMs = nowMs
    this.#next = next
  }

  /** What to wait for before working on: a turn of the event loop; undefined while there is time left in this one. */
  give(): Promise<void> | undefined {
    if (this.#nowMs() - this.#begunMs < WORK_MS) return undefined
    if (this.#waiting.length === 0) this.#next(this.#wake)
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  readonly #wake = (): void => {
    this.#begunMs = this.#nowMs()
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) this.#next(this.#wake)
  }
}

/** Of this process. */
export const turns = new Turns()
