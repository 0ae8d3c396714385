import { SessionMemoryError } from '#engine/engineError.ts'

/** What can be asked to take less memory. */
export interface Shrinkable {
  /** Takes less from the next run on; false if that is the least already. */
  shrink(): Promise<boolean>
}

/**
 * Works, and where memory was not enough works again with less of it, until it is or there is no less.
 *
 * @param work - changes nothing that lasts before it is done.
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

/** Whether memory was short, for the runtime or for a JavaScript array. */
function isShortage(error: unknown): boolean {
  if (error instanceof SessionMemoryError) return true
  return error instanceof RangeError && /array buffer allocation failed/i.test(error.message)
}
