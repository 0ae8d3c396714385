import { isShortage } from '#engine/engineError.ts'

/** A component that can use less memory. */
export interface Shrinkable {
  /** Uses less memory from the next run on; false if it already uses the least. */
  shrink(): Promise<boolean>
}

/**
 * Runs work, and runs it again with less memory if memory was too small, until it succeeds or cannot use less.
 *
 * @param work - has no lasting effect before it is done.
 */
export async function withinMemory<T>(shrinkable: Shrinkable, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isShortage(error) || !(await shrinkable.shrink())) throw error
    }
  }
}
