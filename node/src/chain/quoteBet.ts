import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'

/** What a bet would buy now, and pay if its choice wins and nobody bets after it. */
export type Quote = { shares: bigint; payout: bigint; room: bigint }

export async function quoteBet(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  bet: { gameId: bigint; round: number; choice: number; stake: bigint },
): Promise<Quote> {
  const market = contracts.predictionMarket
  const { gameId, round, choice, stake } = bet
  const [shares, payout, room] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...market, functionName: 'quoteShares', args: [gameId, round, choice, stake] }),
      rpc.readContract({ ...market, functionName: 'quotePayout', args: [gameId, choice, stake] }),
      rpc.readContract({ ...market, functionName: 'roomOf', args: [gameId, choice] }),
    ]),
  )
  return { shares, payout, room }
}
