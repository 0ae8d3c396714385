import { predictionMarketAbi } from '@waggle/deployments/abi/predictionMarket'
import { readContract } from '@wagmi/core'
import { type Address, erc20Abi, padHex } from 'viem'
import { simulateContract } from 'viem/actions'
import { formatTokens } from '#merge/formatTokens.ts'
import { payoutIfRight } from '#merge/games/payoutIfRight.ts'
import type { Chain } from '../ChainProvider.tsx'
import type { Call } from '../sendCall.ts'
import { requireTokens } from './requireTokens.ts'

/** A quote: what a bet buys if no other bet follows in its round, and pays if its choice wins and nobody bets after it. */
export interface Quote {
  shares: bigint
  payout: bigint
}

export interface Position {
  choice: number
  stake: bigint
  /** If its choice won and nobody bet after this. */
  payout: bigint
}

/** An account's position in a game, and what the market owes it. */
export interface MarketHoldings {
  positions: Position[]
  /** Claimable now. Once a game is due to end, the first claim ends it. */
  claimable: bigint
  /** Bonds and rewards that can be withdrawn. */
  credit: bigint
}

const marketOf = ({ network }: Chain) => ({ address: network.market, abi: predictionMarketAbi }) as const

export async function quoteBet(chain: Chain, gameId: bigint, choice: number, stake: bigint): Promise<Quote> {
  const args = [gameId, choice, stake] as const
  const [shares, payout] = await readContract(chain.config, { ...marketOf(chain), functionName: 'quote', args })
  return { shares, payout }
}

export async function readHoldings(
  chain: Chain,
  gameId: bigint,
  choices: readonly number[],
  account: Address,
  feeBps: number,
): Promise<MarketHoldings> {
  const holder = padHex(account)
  const market = marketOf(chain)
  const [held, pools, claimable, credit] = await Promise.all([
    Promise.all(
      choices.map(async choice => {
        const args = [gameId, choice, holder] as const
        const [stake, shares] = await readContract(chain.config, { ...market, functionName: 'positionOf', args })
        return { choice, stake, shares }
      }),
    ),
    Promise.all(
      choices.map(async choice => {
        const args = [gameId, choice] as const
        const [stake, shares] = await readContract(chain.config, { ...market, functionName: 'choiceOf', args })
        return { stake, shares }
      }),
    ),
    readPayout(chain, gameId, account),
    readContract(chain.config, { ...market, functionName: 'creditOf', args: [account] }),
  ])
  const positions = held
    .filter(({ stake }) => stake > 0n)
    .map(({ shares, ...own }) => ({ ...own, payout: payoutIfRight({ ...own, shares }, pools, feeBps) }))
  return { positions, claimable, credit }
}

/** `Phase.ResolutionDue` of the contract: the game is over, and nobody has ended it yet. */
const RESOLUTION_DUE = 7

/** The payout of a claim. `claimableOf` is 0 until somebody has ended the game, which a claim does by itself. */
async function readPayout(chain: Chain, gameId: bigint, account: Address): Promise<bigint> {
  const market = marketOf(chain)
  const readClaimable = () =>
    readContract(chain.config, { ...market, functionName: 'claimableOf', args: [gameId, padHex(account)] })
  const phase = await readContract(chain.config, { ...market, functionName: 'phaseOf', args: [gameId] })
  if (phase !== RESOLUTION_DUE) return readClaimable()
  const claim = { ...market, functionName: 'claim', args: [gameId], account } as const
  // Of an account without a payout it fails, in words that differ between endpoints.
  return simulateContract(chain.config.getClient(), claim).then(({ result }) => result, readClaimable)
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
  const placed: Call = {
    ...{ ...market, functionName: 'bet', what: `Bet ${bet.what}` },
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
  return [{ ...token, functionName: 'approve', args, what: `Let the market take ${bet.what}` }, placed]
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
