import { readContract } from '@wagmi/core'
import { type Address, erc20Abi } from 'viem'
import { exactTokens } from '#merge/formatTokens.ts'
import type { Chain } from '../ChainProvider.tsx'

/**
 * Checks that an account has the tokens that it is about to approve: otherwise it would pay for the approval, and the next call would be
 * refused.
 *
 * @throws {Error} if it has less, with a user-facing message.
 */
export async function requireTokens(chain: Chain, token: Address, account: Address, amount: bigint): Promise<void> {
  const call = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
  const held = await readContract(chain.config, call)
  if (held < amount)
    throw new Error(`The account has ${exactTokens(held)} Nectar, and this takes ${exactTokens(amount)}.`)
}
