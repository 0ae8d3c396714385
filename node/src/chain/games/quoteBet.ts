import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** What a bet would buy now if nothing followed in its round, and pay if its choice won and nobody bet after it. */
export type Quote = { shares: bigint; payout: bigint }

export async function quoteBet(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  { gameId, choice, stake }: { gameId: bigint; choice: number; stake: bigint },
): Promise<Quote> {
  const args = [gameId, choice, stake] as const
  const [shares, payout] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...contracts.predictionMarket, functionName: 'quote', args }),
  )
  return { shares, payout }
}
