import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'

/** The token that is bet, and what an account has of it and lets the market take. */
export type TokenState = { address: Hex; decimals: number; symbol: string; balance: bigint; allowance: bigint }

export async function readMarketToken(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  account: Hex,
): Promise<TokenState> {
  const market = contracts.predictionMarket
  const address = await callChain(rpcUrl, () => rpc.readContract({ ...market, functionName: 'token' }))
  const token = { address, abi: erc20Abi } as const
  const [decimals, symbol, balance, allowance] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...token, functionName: 'decimals' }),
      rpc.readContract({ ...token, functionName: 'symbol' }),
      rpc.readContract({ ...token, functionName: 'balanceOf', args: [account] }),
      rpc.readContract({ ...token, functionName: 'allowance', args: [account, market.address] }),
    ]),
  )
  return { address, decimals, symbol, balance, allowance }
}

/** Lets the market take bets and bonds. The market takes nothing but what a call of the account's own names. */
export function approveMarket(contracts: Contracts, token: Hex, id: string): OutboxIntent {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [contracts.predictionMarket.address, maxUint256],
  })
  return { key: `market:approve:${id}`, to: token, data, fromRound: null, throughRound: null }
}
