import { freeAddresses, freeMemory } from '#engine/devices/freeMemory.ts'
import { ShortageLimit } from '#engine/shortageLimit.ts'

/** Share of the free memory that a step may plan with: an estimate is not exact, and others use the machine too. */
const FREE_SHARE = 0.8

/** Address space that sessions reserve and do not use, for their threads and in their arenas: 0.6 to 0.95 GB, measured. */
const RESERVED_ADDRESSES = 0.9e9

/** Bytes that a step may plan with now, including bytes that it already holds. */
export function plannable(heldBytes: number): number {
  const reserved = heldBytes > 0 ? 0 : RESERVED_ADDRESSES
  const addresses = Math.max(0, freeAddresses() - reserved + heldBytes)
  return Math.min(FREE_SHARE * (freeMemory() + heldBytes), addresses)
}

/** Readings of the memory that steps plan with. */
export interface StepMemory {
  /** Bytes for a step, including bytes that are held already. */
  plannable(heldBytes: number): number
  /** Bytes that this process holds. */
  resident(): number
}

/** Free memory of the machine. */
export const machineMemory: StepMemory = { plannable, resident: () => process.memoryUsage.rss() }

/** A fixed number of bytes, whatever is free. */
export const fixedMemory = (bytes: number): StepMemory => ({ plannable: () => bytes, resident: () => 0 })

/**
 * Bytes that each attempt at a step may plan with: what is free now, and after a shortage at most half of the plan that failed, until that
 * limit has grown again. The least possible plan is within the limit, and once more after it failed, since a fresh pass holds nothing of earlier steps.
 */
export class StepBudget {
  readonly #memory: StepMemory
  readonly #limit = new ShortageLimit()
  /** Free bytes with those of the open pass. Kept while the readings allow it, so that their noise does not change the plan. */
  #free = Number.NaN
  /** Bytes of the last plan, and of this process before its pass was opened. */
  #planned = 0
  #residentBefore = 0
  #last: 'none' | 'planned' | 'failed' = 'none'
  #isLeastSpent = false

  constructor(memory: StepMemory) {
    this.#memory = memory
  }

  /**
   * Bytes for the next attempt; less than `least` if the step is to be refused.
   *
   * @param least - bytes of the least plan.
   * @param isOpen - whether the pass of the last plan is open.
   */
  next(least: number, isOpen: boolean): number {
    const isRetry = this.#last === 'failed'
    const isRefused = isRetry && this.#isLeastSpent
    if (this.#last === 'planned') this.#limit.succeed()
    this.#last = 'none'
    if (!isRetry || isRefused) this.#isLeastSpent = false
    if (isRefused) return this.#limit.limit
    const [free, { limit }] = [this.#readFree(isOpen), this.#limit]
    const bytes = isRetry ? Math.max(Math.min(free, limit), least) : Math.min(free, Math.max(limit, least))
    this.#isLeastSpent = isRetry && bytes <= least
    return bytes
  }

  /** A plan of `bytes` is about to run. */
  plan(bytes: number): void {
    this.#planned = bytes
    this.#last = 'planned'
  }

  /** A pass is about to be opened. */
  open(): void {
    this.#residentBefore = this.#memory.resident()
  }

  /** The last plan did not fit. */
  fail(): void {
    this.#limit.halve(this.#planned)
    this.#last = 'failed'
  }

  /** A pass holds at most what it planned; it holds less before its first step, and no more than this process has grown. */
  #readFree(isOpen: boolean): number {
    const most = isOpen ? this.#planned : 0
    const held = Math.max(0, Math.min(most, this.#memory.resident() - this.#residentBefore))
    const [lowest, highest] = [this.#memory.plannable(held), this.#memory.plannable(most)]
    this.#free = Number.isNaN(this.#free) ? lowest : Math.min(Math.max(this.#free, lowest), highest)
    return this.#free
  }
}
