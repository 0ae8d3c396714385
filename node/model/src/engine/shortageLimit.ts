/** Successes after which a limit doubles, at first and at most. */
const [FIRST_PATIENCE, MOST_PATIENCE] = [16, 256]

/**
 * Limit of the memory that work may take, in any unit: none, until memory was short. A shortage halves what failed. The limit doubles again after
 * some successes, so that a short dip does not slow work for good, and after twice as many for each further shortage, since what is tried in vain costs time.
 */
export class ShortageLimit {
  #limit = Number.POSITIVE_INFINITY
  #patience = FIRST_PATIENCE
  #successes = 0

  get limit(): number {
    return this.#limit
  }

  /** @param failed - what did not fit. */
  halve(failed: number): void {
    if (this.#successes > 0) this.#patience = Math.min(MOST_PATIENCE, 2 * this.#patience)
    this.#limit = failed / 2
    this.#successes = 0
  }

  /** Something within the limit succeeded. */
  succeed(): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return
    this.#successes++
    if (this.#successes % this.#patience === 0) this.#limit *= 2
  }
}
