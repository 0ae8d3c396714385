import { nectarAbi } from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import {
  createTestClient,
  encodeAbiParameters,
  formatEther,
  type Hex,
  http,
  keccak256,
  pad,
  parseEther,
  publicActions,
  toHex,
} from 'viem'
import type { SwarmPeer } from './peers.ts'

/** Initial balances: bonds of twenty games for the Judge, and stakes and the bond of a dispute for a solver. */
const PURSE_WEI: Partial<Record<SwarmPeer['role'], bigint>> = { judge: parseEther('100'), solver: parseEther('20') }

/** Storage slots in which OpenZeppelin's ERC20 keeps them. */
const [BALANCES_SLOT, SUPPLY_SLOT] = [0n, 2n]

/**
 * Gives the local swarm's Judge and solvers Nectar to play with, so that games run from the start: nobody has any before it is earned, and
 * a Judge earns none. Contracts mint it for points alone; the local chain is told to change the balances. Balances above half of the amount
 * are left as they are.
 *
 * @throws {Error} if the token's storage is not as expected.
 */
export async function fundMarket(rpcUrl: string, deployment: Deployment, peers: readonly SwarmPeer[]): Promise<void> {
  const { address } = deployment.contracts.Nectar
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions)
  const token = { address, abi: nectarAbi } as const
  const store = (index: Hex, value: bigint) => chain.setStorageAt({ address, index, value: pad(toHex(value)) })
  for (const { role, address: account } of peers) {
    const purse = PURSE_WEI[role] ?? 0n
    const balanceOf = () => chain.readContract({ ...token, functionName: 'balanceOf', args: [account] })
    const balance = await balanceOf()
    if (purse === 0n || balance >= purse / 2n) continue
    const supply = await chain.readContract({ ...token, functionName: 'totalSupply' })
    await store(balanceSlot(account), purse)
    await store(pad(toHex(SUPPLY_SLOT)), supply + purse - balance)
    if ((await balanceOf()) !== purse) throw new Error(`${account} did not get its ${formatEther(purse)} Nectar`)
  }
}

const balanceSlot = (account: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [account, BALANCES_SLOT]))
