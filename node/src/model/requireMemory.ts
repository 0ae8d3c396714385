import { freeAddresses, freeMemory } from '#engine/freeMemory.ts'
import { ModelFileError } from './modelErrors.ts'

/**
 * Refuses weights that are larger than the free memory before any of it is asked for: the system grants more than it has, and
 * kills who uses it.
 *
 * @param path - of the weights, for the error.
 * @throws {ModelFileError}
 */
export function requireMemory(path: string, tensors: Iterable<{ readonly elements: number }>): void {
  let bytes = 0
  for (const { elements } of tensors) bytes += Float32Array.BYTES_PER_ELEMENT * elements
  const free = Math.min(freeMemory(), freeAddresses())
  if (bytes <= free) return
  const gigabytes = (count: number) => `${(count / 1e9).toFixed(1)} GB`
  throw new ModelFileError(path, 'weights', `take ${gigabytes(bytes)} in float32 where ${gigabytes(free)} are free`, {
    hint: 'Free some memory, use a smaller model, or generate with --precision int8.',
  })
}
