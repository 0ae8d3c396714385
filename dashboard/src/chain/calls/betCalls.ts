import { predictionMarketAbi } from '@waggle/deployments/abi/predictionMarket'
import { readContract } from '@wagmi/core'
import { type Address, erc20Abi } from 'viem'
import { formatTokens } from '#merge/formatTokens.ts'
import type { Chain } from '../ChainProvider.tsx'
import type { Call } from '../sendCall.ts'
import { requireTokens } from './requireTokens.ts'

/** A quote: what a bet buys if no other bet follows in its round, and pays if its choice wins and nobody bets after it. */
export interface Quote {
  shares: bigint
  payout: bigint
}

export const marketOf = ({ network }: Chain) => ({ address: network.market, abi: predictionMarketAbi }) as const

export async function quoteBet(chain: Chain, gameId: bigint, choice: number, stake: bigint): Promise<Quote> {
  const args = [gameId, choice, stake] as const
  const [shares, payout] = await readContract(chain.config, { ...marketOf(chain), functionName: 'quote', args })
  return { shares, payout }
}

interface Bet {
  gameId: bigint
  round: number
  choice: number
  stake: bigint
  /** For people: `1 Nectar on primes`. */
  what: string
  /** The quote that the ticket showed. */
  shown: Quote
  /** Called with the new quote, if it is lower. */
  onFallen: (now: Quote) => void
}

/** Price tolerance, in percent of the winnings: other bets regularly take this much. */
const TOLERATED_FALL = 1n

/** The calls of a bet. Each bet has its own approval: the market may take no more than its stake. */
export async function betCalls(chain: Chain, account: Address, bet: Bet): Promise<Call[]> {
  const market = marketOf(chain)
  const token = {
    address: await readContract(chain.config, { ...market, functionName: 'token' }),
    abi: erc20Abi,
  } as const
  await requireTokens(chain, token.address, account, bet.stake)
  const owner = [account, market.address] as const
  const allowed = await readContract(chain.config, { ...token, functionName: 'allowance', args: owner })
  const what = `${bet.what} in game ${bet.gameId}`
  const placed: Call = {
    ...{ ...market, functionName: 'bet', what: `Bet ${what}` },
    args: [bet.gameId, bet.round, bet.choice, bet.stake],
    async unless() {
      const now = await quoteBet(chain, bet.gameId, bet.choice, bet.stake)
      if (!isLess(now, bet)) return null
      bet.onFallen(now)
      return `It would now pay ${formatTokens(now.payout)} Nectar, less than was shown. Bet again to accept this.`
    },
  }
  if (allowed >= bet.stake) return [placed]
  const args = [market.address, bet.stake]
  return [{ ...token, functionName: 'approve', args, what: `Let the market take ${what}` }, placed]
}

function isLess(now: Quote, { shown, stake }: Pick<Bet, 'shown' | 'stake'>): boolean {
  return (now.payout - stake) * 100n < (shown.payout - stake) * (100n - TOLERATED_FALL)
}

export function claimGame(chain: Chain, gameId: bigint): Call {
  return { ...marketOf(chain), functionName: 'claim', args: [gameId], what: `Claim from game ${gameId}` }
}

export function withdrawCredit(chain: Chain): Call {
  return { ...marketOf(chain), functionName: 'withdraw', args: [], what: 'Withdraw from the market' }
}
