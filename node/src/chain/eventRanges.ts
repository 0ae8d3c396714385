import { callChain } from './callChain.ts'
import { AskedTooOftenError, ChainUnreachableError, TooMuchAskedError } from './chainErrors.ts'
import type { ChainClient } from './connectChain.ts'

/** Blocks of the first request for events: public endpoints refuse more than a few thousand. */
const EVENT_RANGE_BLOCKS = 2_000
/** Blocks of a request for rare events, at most. Endpoints differ in their limits. */
export const RARE_RANGE_BLOCKS = 200_000
/** An endpoint that refuses so few blocks without saying that they are too many is out. */
const LEAST_BLOCKS = 100n

export type BlockRange = { fromBlock: bigint; toBlock: bigint }
type Span = {
  first: bigint
  last: bigint
  /** Blocks of a request, at most. By default as many as hold the events of a large swarm in one answer. */
  most?: number
}

/**
 * Events of many blocks, range by range, in the order of the chain. A range that fails is halved, down to one block if the endpoint says that it is
 * too large: a peer may amend its commitment as often as it pays for it. After an answer the next range is a quarter larger.
 *
 * @param read - the events of a range, both ends included.
 * @throws {ChainUnreachableError} if it fails for a short range, too, or because the endpoint was asked too often.
 */
export async function* eventRanges<T>(
  { rpcUrl, progress }: Pick<ChainClient, 'rpcUrl' | 'progress'>,
  { first, last, most = EVENT_RANGE_BLOCKS }: Span,
  read: (range: BlockRange) => Promise<T[]>,
): AsyncGenerator<{ through: bigint; events: T[] }> {
  let blocks = BigInt(EVENT_RANGE_BLOCKS)
  for (let at = first; at <= last; ) {
    const through = least(at + blocks - 1n, last)
    const asked = through - at + 1n
    const events = await callChain(rpcUrl, () => read({ fromBlock: at, toBlock: through })).catch(error => {
      blocks = shorterThan(asked, error)
      return null
    })
    if (events === null) continue
    progress?.(`Reading the events of ${rpcUrl}: block ${through} of ${last}.`)
    yield { through, events }
    at = through + 1n
    blocks = least(blocks + blocks / 4n + 1n, BigInt(most))
  }
}

/** Blocks of the next request after one that failed. @throws its error, if fewer blocks do not help. */
function shorterThan(asked: bigint, error: unknown): bigint {
  const shortest = error instanceof TooMuchAskedError ? 1n : LEAST_BLOCKS
  const isOfLength = error instanceof ChainUnreachableError && !(error instanceof AskedTooOftenError)
  if (!isOfLength || asked <= shortest) throw error
  return asked / 2n > shortest ? asked / 2n : shortest
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)
