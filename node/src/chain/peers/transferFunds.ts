import { encodeFunctionData } from 'viem'
import type { AccountAddress } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** @param id - the same transfer is sent once for an id. */
export interface Transfer {
  readonly to: Hex
  readonly amountWei: bigint
  readonly id: string
}

/** Sends Nectar of the account to another. */
export function transferNectar({ nectar }: Contracts, { to, amountWei, id }: Transfer): OutboxIntent {
  const data = encodeFunctionData({ abi: nectar.abi, functionName: 'transfer', args: [to, amountWei] })
  return { key: `transfer:nectar:${id}`, to: nectar.address, data, fromRound: null, throughRound: null }
}

/** Sends the chain's own coin to another account. */
export function transferCoin({ to, amountWei, id }: Transfer): OutboxIntent {
  return { key: `transfer:coin:${id}`, to, data: '0x', valueWei: amountWei, fromRound: null, throughRound: null }
}

/** Balances of an account, in wei. */
export async function readFunds({ rpc, rpcUrl }: ChainClient, { nectar }: Contracts, account: AccountAddress) {
  const [nectarWei, coinWei] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...nectar, functionName: 'balanceOf', args: [account] }),
      rpc.getBalance({ address: account }),
    ]),
  )
  return { nectarWei, coinWei }
}
