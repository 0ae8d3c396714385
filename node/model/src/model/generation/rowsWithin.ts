import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ModelInputError } from '../modelErrors.ts'
import { cacheBytes } from './kvCache.ts'

/** Share of the available memory that the caches of rows may fill: while a cache grows, two copies of each layer exist for a moment. */
const CACHE_SHARE = 0.8

/**
 * Number of rows whose caches fit into memory, up to their last position. The others wait, which changes no bit of any result.
 *
 * @param memory - available bytes.
 * @throws {ModelInputError} if not even one row fits, together with the cache that its prompt is prefilled in.
 */
export function rowsWithin(config: DecoderConfig, positions: number, memory: number): number {
  const row = cacheBytes(config, positions)
  const rows = Math.floor((CACHE_SHARE * memory) / row) - 1 // a prompt is prefilled in its own cache
  if (rows >= 1) return rows
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)
  throw new ModelInputError(
    `keys and values of ${positions} tokens take ${gigabytes(2 * row)} GB where ${gigabytes(CACHE_SHARE * memory)} are available`,
    { hint: 'Give a shorter prompt, ask for fewer new tokens, or free some memory.' },
  )
}
