import type { Account, Chain, Hex, PublicClient, Transport, WalletClient } from 'viem'
import type { Contracts } from './compilePatched.ts'

/** The most that a transaction may use. */
const DEPLOYMENT_GAS = 16_000_000n

/** Deploys compiled contracts, in the form that Hardhat's helper has. */
export function deployFrom(
  contractOf: Contracts,
  wallet: WalletClient<Transport, Chain, Account>,
  client: PublicClient,
): (name: string, args?: readonly unknown[]) => Promise<{ address: Hex }> {
  return async (name, args = []) => {
    const { abi, evm } = contractOf(name)
    const bytecode: Hex = `0x${evm.bytecode.object}`
    const hash = await wallet.deployContract({ abi, bytecode, args, gas: DEPLOYMENT_GAS })
    const { contractAddress } = await client.getTransactionReceipt({ hash })
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return { address: contractAddress }
  }
}
