import { setTimeout } from 'node:timers/promises'
import type { EthereumProvider } from 'hardhat/types/providers'
import { type Address, getAddress } from 'viem'
import type { ContractName } from '../../deployments/contractNames.ts'
import { DeployError } from './deployError.ts'
import type { JournalReceipt } from './journal.ts'

interface Block {
  readonly hash: string
  readonly number: number
  readonly timestamp: number
}

interface ChainTransaction {
  readonly hash: string
  readonly from: string
  readonly nonce: number
}

interface RpcReceipt {
  readonly blockHash: string
  readonly blockNumber: string
  readonly contractAddress: string | null
  readonly logs: { address: string; data: string; logIndex: string; topics: string[] }[]
  readonly status: string
}

/** A contract of the deployment that has code on the chain. */
export interface LivingContract {
  readonly name: ContractName
  readonly address: Address
  /** 0x and hex digits. */
  readonly code: string
}

/** Most blocks searched for a transaction whose hash a killed run did not write: about a day of Ethereum. */
const SEARCHED_BLOCKS = 7_200

/** Where a proxy keeps the address of its code (ERC-1967). */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

/** Polls for confirmations: 4 minutes on the slowest preset. */
const CONFIRMATION_POLLS = 120

/** The chain reads of a deployment, with numbers instead of hex. */
export function chainReader(provider: Pick<EthereumProvider, 'request'>) {
  const ask = (method: string, ...params: unknown[]): Promise<unknown> => provider.request({ method, params })
  const number = async (method: string, ...params: unknown[]) => Number(await ask(method, ...params))

  const block = async (tag: string): Promise<Block> => {
    const found = (await ask('eth_getBlockByNumber', tag, false)) as Record<keyof Block, string>
    return { hash: found.hash, number: Number(found.number), timestamp: Number(found.timestamp) }
  }

  const transactionsIn = async (tag: string): Promise<ChainTransaction[]> => {
    const found = (await ask('eth_getBlockByNumber', tag, true)) as { transactions: Record<string, string>[] } | null
    return (found?.transactions ?? []).map(({ hash = '', from = '', nonce }) => ({ hash, from, nonce: Number(nonce) }))
  }

  return {
    block,
    chainId: () => number('eth_chainId'),
    accounts: async () => (await ask('eth_accounts')) as `0x${string}`[],
    code: async (address: string) => (await ask('eth_getCode', address, 'latest')) as string,
    /** The contract whose code a proxy runs. */
    implementation: async (proxy: string): Promise<Address> =>
      `0x${((await ask('eth_getStorageAt', proxy, IMPLEMENTATION_SLOT, 'latest')) as string).slice(-40)}`,
    balanceWei: async (address: string) => BigInt((await ask('eth_getBalance', address, 'latest')) as string),
    tipWei: async () => BigInt((await ask('eth_maxPriorityFeePerGas')) as string),
    gasPriceWei: async () => BigInt((await ask('eth_gasPrice')) as string),

    /** @returns undefined for a transaction that is not mined. */
    async receipt(hash: string): Promise<JournalReceipt | undefined> {
      const found = (await ask('eth_getTransactionReceipt', hash)) as RpcReceipt | null
      if (found === null) return undefined
      const isMade = Number(found.status) === 1
      const logs = found.logs.map(({ address, data, logIndex, topics }) => {
        return { address: getAddress(address), data, logIndex: Number(logIndex), topics }
      })
      const made = isMade && found.contractAddress ? { contractAddress: getAddress(found.contractAddress) } : {}
      const { blockHash, blockNumber } = found
      return { blockHash, blockNumber: Number(blockNumber), ...made, logs, status: isMade ? 'SUCCESS' : 'FAILURE' }
    },

    /** Waits until all transactions of an account are confirmed, or until a timeout, after which Ignition reports the reason. */
    async untilConfirmed(account: string, confirmations: number, pollMs: number): Promise<void> {
      for (let polls = 0; polls < CONFIRMATION_POLLS; polls++) {
        const at = (await number('eth_blockNumber')) - confirmations + 1
        const tag = `0x${Math.max(at, 0).toString(16)}`
        const confirmed = await number('eth_getTransactionCount', account, tag)
        if (confirmed >= (await number('eth_getTransactionCount', account, 'pending'))) return
        await setTimeout(pollMs)
      }
    },

    /**
     * The transaction that an account sent with a nonce, mined or still pending.
     *
     * @param fromBlock - block at or before which the account had not used the nonce yet.
     */
    async findTransaction(account: string, nonce: number, fromBlock: number): Promise<string | undefined> {
      const used = await number('eth_getTransactionCount', account, 'pending')
      if (used <= nonce) return undefined
      const latest = await number('eth_blockNumber')
      const isIt = (it: ChainTransaction) => it.from.toLowerCase() === account.toLowerCase() && it.nonce === nonce
      const pending = (await transactionsIn('pending')).find(isIt)
      if (pending) return pending.hash
      for (let at = latest; at >= Math.max(fromBlock, latest - SEARCHED_BLOCKS); at--) {
        const mined = (await transactionsIn(`0x${at.toString(16)}`)).find(isIt)
        if (mined) return mined.hash
      }
      const hint = `look up the transaction and run "npx hardhat ignition track-tx HASH DEPLOYMENT"`
      throw new DeployError(
        'TRANSACTION_UNTRACKED',
        `nonce ${nonce} of ${account} is used by an unknown transaction`,
        hint,
      )
    },
  }
}

export type ChainReader = ReturnType<typeof chainReader>
