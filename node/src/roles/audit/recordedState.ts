import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { ChainUnreachableError, StateUnavailableError } from '#chain/chainErrors.ts'
import type { ChainClient } from '#chain/connectChain.ts'
import type { Contracts } from '#chain/contracts.ts'
import { lacksBlock, lacksState } from '#chain/guard/answers.ts'
import { readPointsOf, readTotals } from '#chain/peers/readPoints.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { DerivedPoints } from './deriveScores.ts'

/** The contract's own record as of a block. */
type RecordedState = {
  points: Map<PeerKey, number>
  /** Points of all peers for each round, by number. */
  totals: number[]
}

/** @throws {StateUnavailableError} if the endpoint does not keep the state of the block. */
export async function readState(
  client: ChainClient,
  contracts: Contracts,
  block: number,
  peerKeys: readonly PeerKey[],
): Promise<RecordedState> {
  const points = await readPointsAt(client, contracts, block, peerKeys)
  return { points, totals: await ofBlock(client, block, () => readTotals(client, contracts, BigInt(block))) }
}

/** @throws {StateUnavailableError} as {@link readState}. */
export async function readPointsAt(
  client: ChainClient,
  contracts: Contracts,
  block: number,
  peerKeys: readonly PeerKey[],
): Promise<Map<PeerKey, number>> {
  const read = () => readPointsOf(client, contracts, peerKeys, BigInt(block))
  const points = await ofBlock(client, block, read)
  return new Map(peerKeys.map((peerKey, at) => [peerKey, points[at] as number]))
}

/** @throws {StateUnavailableError} if the endpoint does not have the block. */
export function readBlock(client: ChainClient, block: number): Promise<{ hash: string; timeSec: number }> {
  const { rpc, rpcUrl } = client
  return ofBlock(client, block, async () => {
    const { hash, timestamp } = await callChain(rpcUrl, () => rpc.getBlock({ blockNumber: BigInt(block) }))
    return { hash, timeSec: Number(timestamp) }
  })
}

async function ofBlock<T>({ rpcUrl }: ChainClient, block: number, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (!(cause instanceof ChainUnreachableError && lacksState(cause.message))) throw cause
    const hint = lacksBlock(cause.message)
      ? 'A server behind the address is late: try again in a moment, or name another endpoint with --rpc.'
      : 'Endpoints keep the state of about 128 blocks. Name an archive endpoint with --rpc, or an index (--index) that has caught up.'
    const message = `The chain at ${rpcUrl} has no state of block ${block}: ${cause.message}`
    throw new StateUnavailableError(message, { hint, retryable: true, cause })
  }
}

/**
 * Tells events that an endpoint leaves out, as a server that lags does, from votes that are false: those have findings.
 *
 * @throws {EventsMissingError} if the contract counts other points in a round than follow from its events, and no event is inconsistent.
 */
export function requireWhole(
  { rpcUrl }: Pick<ChainClient, 'rpcUrl'>,
  { rounds, findings }: Pick<DerivedPoints, 'rounds' | 'findings'>,
  { totals }: Pick<RecordedState, 'totals'>,
): void {
  const explained = new Set(findings.map(({ round }) => round))
  for (const [round, milli] of totals.entries()) {
    const found = rounds.get(round)?.pointsMilli ?? 0
    if (found === milli || explained.has(round)) continue
    throw new EventsMissingError(
      `The contract counts ${milli} thousandths of a point in round ${round}, and the events of ${rpcUrl} come to ${found}.`,
      {
        hint: 'The endpoint leaves out events, as one does that lags: try again in a moment, or name another with --rpc.',
        retryable: true,
      },
    )
  }
}

class EventsMissingError extends NodeError {
  override readonly code = 'EVENTS_MISSING'
}
