import { attainableMemory } from '#engine/freeMemory.ts'

/**
 * What to say of bytes that cannot be had; nothing where they can.
 *
 * Asked before any of them are taken: the system grants memory that it does not have, and kills who uses it.
 */
export function beyondMemory(bytes: number): string | undefined {
  const most = attainableMemory()
  const gigabytes = (count: number) => `${(count / 1e9).toFixed(1)} GB`
  return bytes > most ? `take ${gigabytes(bytes)} where ${gigabytes(most)} can be had` : undefined
}
