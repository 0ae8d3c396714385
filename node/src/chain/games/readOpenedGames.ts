import type { AccountAddress } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { eventRanges } from '../governance/eventRanges.ts'

/** Blocks that a reorganisation, or an endpoint that lags, takes back: they are read again. */
const UNSETTLED_BLOCKS = 64

/**
 * The games that an account opened, the oldest first, by its name in the market's events. Others may open as many between them as they like.
 *
 * @param cursor - `cursor` of the last read; null for the first. Some games are told again.
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
