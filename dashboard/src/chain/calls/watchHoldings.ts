import { readContract } from '@wagmi/core'
import { type Address, BaseError, ContractFunctionRevertedError, padHex } from 'viem'
import { simulateContract } from 'viem/actions'
import { payoutIfRight } from '#merge/games/payoutIfRight.ts'
import type { Chain } from '../ChainProvider.tsx'
import { keepReading, type Reading } from '../readUntilAnswered.ts'
import { marketOf } from './betCalls.ts'

interface Position {
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
  /** Whether more may be claimable: the claim that would tell failed, and the endpoint did not say that it pays nothing. */
  isDoubtful: boolean
  /** Bonds and rewards that can be withdrawn. */
  credit: bigint
}

interface Holder {
  account: Address
  gameId: bigint
  choices: readonly number[]
  feeBps: number
}

/**
 * Reads an account's holdings until they are certain, and again on demand.
 *
 * @param onHoldings - called with each answer.
 */
export function watchHoldings(chain: Chain, holder: Holder, onHoldings: (found: MarketHoldings) => void): Reading {
  return keepReading(
    () => readHoldings(chain, holder),
    onHoldings,
    ({ isDoubtful }) => isDoubtful,
  )
}

async function readHoldings(chain: Chain, { account, gameId, choices, feeBps }: Holder): Promise<MarketHoldings> {
  const holder = padHex(account)
  const market = marketOf(chain)
  const [held, pools, payout, credit] = await Promise.all([
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
  return { positions, credit, ...payout, isDoubtful: payout.isDoubtful && positions.length > 0 }
}

/** `Phase.ResolutionDue` of the contract: the game is over, and nobody has ended it yet. */
const RESOLUTION_DUE = 7

type Payout = Pick<MarketHoldings, 'claimable' | 'isDoubtful'>

/** The payout of a claim. `claimableOf` is 0 until somebody has ended the game, which a claim does by itself. */
async function readPayout(chain: Chain, gameId: bigint, account: Address): Promise<Payout> {
  const market = marketOf(chain)
  const readClaimable = () =>
    readContract(chain.config, { ...market, functionName: 'claimableOf', args: [gameId, padHex(account)] })
  const phase = await readContract(chain.config, { ...market, functionName: 'phaseOf', args: [gameId] })
  if (phase !== RESOLUTION_DUE) return { claimable: await readClaimable(), isDoubtful: false }
  const claim = { ...market, functionName: 'claim', args: [gameId], account } as const
  return simulateContract(chain.config.getClient(), claim).then(
    ({ result }) => ({ claimable: result, isDoubtful: false }),
    async error => ({ claimable: await readClaimable(), isDoubtful: !paysNothing(error) }),
  )
}

/** Whether the contract refused a claim, by name. Some endpoints say it in words of their own, which an outage may have too. */
function paysNothing(error: unknown): boolean {
  const refusal =
    error instanceof BaseError ? error.walk(inner => inner instanceof ContractFunctionRevertedError) : null
  return (
    refusal instanceof ContractFunctionRevertedError && refusal.data?.errorName === 'PredictionMarket_NothingToClaim'
  )
}
