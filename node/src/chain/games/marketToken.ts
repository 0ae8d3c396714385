import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import type { AccountAddress } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** The token that is bet. */
type MarketToken = { address: Hex; decimals: number; symbol: string }

/** With an account's balance of it and allowance for the market. */
export type TokenState = MarketToken & { balance: bigint; allowance: bigint }

export async function readMarketToken({ rpc, rpcUrl }: ChainClient, contracts: Contracts): Promise<MarketToken> {
  const market = contracts.predictionMarket
  const address = await callChain(rpcUrl, () => rpc.readContract({ ...market, functionName: 'token' }))
  const token = { address, abi: erc20Abi } as const
  const [decimals, symbol] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...token, functionName: 'decimals' }),
      rpc.readContract({ ...token, functionName: 'symbol' }),
    ]),
  )
  return { address, decimals, symbol }
}

export async function readTokenState(
  client: ChainClient,
  contracts: Contracts,
  account: AccountAddress,
): Promise<TokenState> {
  const { rpc, rpcUrl } = client
  const token = await readMarketToken(client, contracts)
  const at = { address: token.address, abi: erc20Abi } as const
  const spender = contracts.predictionMarket.address
  const [balance, allowance] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...at, functionName: 'balanceOf', args: [account] }),
      rpc.readContract({ ...at, functionName: 'allowance', args: [account, spender] }),
    ]),
  )
  return { ...token, balance, allowance }
}

/** Approves the market to transfer bets and bonds. The market transfers only amounts in the account's own calls. */
export function approveMarket(contracts: Contracts, token: Hex, id: string): OutboxIntent {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [contracts.predictionMarket.address, maxUint256],
  })
  return { key: `market:approve:${id}`, to: token, data, fromRound: null, throughRound: null }
}
