import { getConnection, simulateContract, switchChain, waitForTransactionReceipt, writeContract } from '@wagmi/core'
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  type Hex,
  UserRejectedRequestError,
} from 'viem'
import type { Chain } from './ChainProvider.tsx'

/** A call of a contract that changes something. */
export interface Call {
  /** For people: `Bet 1 nectar on primes`. */
  what: string
  address: Address
  abi: Abi
  functionName: string
  args: readonly unknown[]
  /** Of the chain's coin that goes with it, wei. */
  value?: bigint
}

export type Sent = { ok: true; hash: Hex } | { ok: false; why: string }

/**
 * Tries a call on the chain, then has the wallet sign and send it. What the chain would refuse is never signed.
 *
 * A wallet on another chain is asked to switch first.
 */
export async function sendCall({ config, network }: Chain, { what: _, ...call }: Call): Promise<Sent> {
  try {
    const { address: account, chainId } = getConnection(config)
    if (account === undefined) return { ok: false, why: 'Connect an account first.' }
    if (chainId !== network.chainId) await switchChain(config, { chainId: network.chainId })
    const { request } = await simulateContract(config, { ...call, account, chainId: network.chainId })
    return { ok: true, hash: await writeContract(config, request) }
  } catch (cause) {
    return { ok: false, why: whyNot(cause) }
  }
}

/** Waits until a call is in a block. */
export async function mined({ config }: Chain, hash: Hex): Promise<boolean> {
  return (await waitForTransactionReceipt(config, { hash, timeout: 0 })).status === 'success'
}

function whyNot(cause: unknown): string {
  if (!(cause instanceof BaseError)) return cause instanceof Error ? cause.message : 'The wallet did not answer.'
  if (cause.walk(error => error instanceof UserRejectedRequestError)) return 'The wallet refused. Nothing was sent.'
  const revert = cause.walk(error => error instanceof ContractFunctionRevertedError)
  if (revert instanceof ContractFunctionRevertedError)
    return `The contract would refuse it: ${revert.data?.errorName ?? revert.reason ?? 'it gave no reason'}${revert.data?.args ? ` (${revert.data.args.join(', ')})` : ''}.`
  return cause.shortMessage
}
