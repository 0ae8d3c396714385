import { ChainUnreachableError } from '../chainErrors.ts'

/** Blocks per request for events: adapts, since endpoints differ in their limits. */
const FIRST_RANGE = 20_000n
const LEAST_RANGE = 100n
const MOST_RANGE = 200_000n

export type BlockRange = { fromBlock: bigint; toBlock: bigint }

/**
 * Events of many blocks, range by range, through `last`. A refused range is halved; after an answer it is doubled.
 *
 * @param read - the events of a range, both ends included.
 * @throws {ChainUnreachableError} if it refuses a short range, too.
 */
export async function* eventRanges<T>(
  first: bigint,
  last: bigint,
  read: (range: BlockRange) => Promise<T[]>,
): AsyncGenerator<{ through: bigint; events: T[] }> {
  let range = FIRST_RANGE
  for (let at = first; at <= last; ) {
    const end = at + range - 1n < last ? at + range - 1n : last
    try {
      yield { through: end, events: await read({ fromBlock: at, toBlock: end }) }
    } catch (error) {
      if (!(error instanceof ChainUnreachableError) || range / 2n < LEAST_RANGE) throw error
      range /= 2n
      continue
    }
    at = end + 1n
    range = range * 2n < MOST_RANGE ? range * 2n : MOST_RANGE
  }
}
