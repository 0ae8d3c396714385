import type { AccountAddress } from '#core/hashes.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { type BlockRange, eventRanges, RARE_RANGE_BLOCKS } from '../eventRanges.ts'

/** Blocks before the newest at which a reader without a cursor, or with an old one, starts. */
const LOOKBACK_BLOCKS = 100_000
/** Blocks that a reorganisation or a lagging endpoint may revert: they are read again. */
const UNSETTLED_BLOCKS = 64

/** @param cursor - `cursor` of the last read; null for the first. @returns the games whose answer was disputed since then; some are repeated. */
export async function readDisputes(
  chain: FollowedChain,
  { predictionMarket, startBlock }: Contracts,
  cursor: number | null,
): Promise<{ gameIds: bigint[]; cursor: number }> {
  const { number } = await chain.heads.read()
  const first = Math.max(startBlock, number - LOOKBACK_BLOCKS, cursor ?? 0)
  const disputed = { ...predictionMarket, eventName: 'GameDisputed', strict: true } as const
  return gamesSince(chain, { first, number }, range => chain.rpc.getContractEvents({ ...disputed, ...range }))
}

/**
 * The games that an account opened, oldest first, from the market's indexed events, for any number of games of others.
 *
 * @param cursor - `cursor` of the last read; null for the first. Some games are repeated.
 */
export async function readOpenedGames(
  chain: FollowedChain,
  { predictionMarket, startBlock }: Contracts,
  judge: AccountAddress,
  cursor: number | null,
): Promise<{ gameIds: bigint[]; cursor: number }> {
  const { number } = await chain.heads.read()
  const opened = { ...predictionMarket, eventName: 'GameCreated', args: { judge }, strict: true } as const
  const first = Math.max(startBlock, cursor ?? 0)
  return gamesSince(chain, { first, number }, range => chain.rpc.getContractEvents({ ...opened, ...range }))
}

async function gamesSince(
  chain: FollowedChain,
  { first, number }: { first: number; number: number },
  read: (range: BlockRange) => Promise<{ args: { gameId: bigint } }[]>,
): Promise<{ gameIds: bigint[]; cursor: number }> {
  const gameIds: bigint[] = []
  const span = { first: BigInt(first), last: BigInt(number), most: RARE_RANGE_BLOCKS }
  for await (const { events } of eventRanges(chain, span, read))
    for (const { args } of events) gameIds.push(args.gameId)
  return { gameIds, cursor: Math.max(0, number - UNSETTLED_BLOCKS) }
}
