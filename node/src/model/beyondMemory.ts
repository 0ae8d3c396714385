import { freeAddresses, freeMemory } from '#engine/freeMemory.ts'

/**
 * What to say of bytes that are not free; nothing where they are.
 *
 * Asked before any of them are taken: the system grants memory that it does not have, and kills who uses it.
 */
export function beyondMemory(bytes: number): string | undefined {
  const free = Math.min(freeMemory(), freeAddresses())
  const gigabytes = (count: number) => `${(count / 1e9).toFixed(1)} GB`
  return bytes > free ? `take ${gigabytes(bytes)} where ${gigabytes(free)} are free` : undefined
}
