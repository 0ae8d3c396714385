import { readContract } from '@wagmi/core'
import { type Address, erc20Abi } from 'viem'
import { formatTokens } from '#merge/formatTokens.ts'
import type { Chain } from './ChainProvider.tsx'

/**
 * Sees to it that an account has what it is about to let a contract take: else the approval is paid for, and what follows it is refused.
 *
 * @throws {Error} if it has less, in words for people.
 */
export async function requireTokens(chain: Chain, token: Address, account: Address, amount: bigint): Promise<void> {
  const call = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
  const held = await readContract(chain.config, call)
  if (held < amount)
    throw new Error(`The account has ${formatTokens(held)} nectar, and this takes ${formatTokens(amount)}.`)
}
