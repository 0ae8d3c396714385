import type { AccountAddress } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { eventRanges } from '../governance/eventRanges.ts'
import { EVENT_RANGE_BLOCKS } from '../rounds/roundEvents.ts'

/** Blocks before the newest at which a reader without a cursor, or with an old one, starts. */
const LOOKBACK_BLOCKS = 50 * EVENT_RANGE_BLOCKS
/** Blocks that a reorganisation or a lagging endpoint may revert: they are read again. */
const UNSETTLED_BLOCKS = 64

/** @param cursor - `cursor` of the last read; null for the first. @returns the games whose answer was disputed since then; some are repeated. */
export async function readDisputes(
  chain: FollowedChain,
  contracts: Contracts,
  cursor: number | null,
): Promise<{ gameIds: bigint[]; cursor: number }> {
  const head = await chain.heads.read()
  const first = Math.max(contracts.startBlock, head.number - LOOKBACK_BLOCKS, cursor ?? 0)
  const gameIds: bigint[] = []
  for (let at = first; at <= head.number; at += EVENT_RANGE_BLOCKS) {
    const toBlock = BigInt(Math.min(head.number, at + EVENT_RANGE_BLOCKS - 1))
    const range = { ...contracts.predictionMarket, strict: true, fromBlock: BigInt(at), toBlock } as const
    const disputes = await callChain(chain.rpcUrl, () =>
      chain.rpc.getContractEvents({ ...range, eventName: 'GameDisputed' }),
    )
    for (const { args } of disputes) gameIds.push(args.gameId)
  }
  return { gameIds, cursor: Math.max(0, head.number - UNSETTLED_BLOCKS) }
}

/**
 * The games that an account opened, oldest first, from the market's indexed events, for any number of games of others.
 *
 * @param cursor - `cursor` of the last read; null for the first. Some games are repeated.
 */
export async function readOpenedGames(
  { rpc, rpcUrl, heads }: FollowedChain,
  { predictionMarket, startBlock }: Contracts,
  judge: AccountAddress,
  cursor: number | null,
): Promise<{ gameIds: bigint[]; cursor: number }> {
  const { number } = await heads.read()
  const opened = { ...predictionMarket, eventName: 'GameCreated', args: { judge }, strict: true } as const
  const gameIds: bigint[] = []
  const first = BigInt(Math.max(startBlock, cursor ?? 0))
  const read = (range: { fromBlock: bigint; toBlock: bigint }) =>
    callChain(rpcUrl, () => rpc.getContractEvents({ ...opened, ...range }))
  for await (const { events } of eventRanges(first, BigInt(number), read))
    for (const { args } of events) gameIds.push(args.gameId)
  return { gameIds, cursor: Math.max(0, number - UNSETTLED_BLOCKS) }
}
