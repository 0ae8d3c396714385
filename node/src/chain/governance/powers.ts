import { isAddressEqual, keccak256, stringToHex, zeroHash } from 'viem'
import type { AccountAddress } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** The contracts with roles or an owner, by their names in a deployment's record. */
export const governed = {
  TimelockController: 'timelock',
  Rounds: 'rounds',
  PeerRegistry: 'peerRegistry',
  RewardVotes: 'rewardVotes',
  SwarmCoordinator: 'swarmCoordinator',
  PrgMarket: 'prgMarket',
} as const satisfies Record<string, keyof Contracts>
export type Governed = keyof typeof governed

/** `role` is a role's name; `owner` of the contract that has one owner; `itself` for calls that the timelock only accepts from itself. */
export type Power = { contract: Governed; role: string }

/** The id of a role in OpenZeppelin's AccessControl. */
export function roleId(name: string): Hex {
  return name === 'DEFAULT_ADMIN_ROLE' ? zeroHash : keccak256(stringToHex(name))
}

/** Names of the roles of a contract; empty if it has one owner. */
export function rolesOf(contracts: Contracts, contract: Governed): string[] {
  const functions = contracts[governed[contract]].abi.filter(item => item.type === 'function')
  return functions.map(({ name }) => name).filter(name => name.endsWith('_ROLE'))
}

/** The role's name of an id, if a contract of the deployment has it. */
export function roleName(contracts: Contracts, id: Hex): string | null {
  const names = (Object.keys(governed) as Governed[]).flatMap(contract => rolesOf(contracts, contract))
  return names.find(name => roleId(name) === id) ?? null
}

/** Whether an account has a power, by the contract's own view. */
export async function holdsPower(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  { contract, role }: Power,
  account: AccountAddress,
): Promise<boolean> {
  if (role === 'itself') return isAddressEqual(account, contracts.timelock.address)
  if (role === 'owner') {
    const owner = await callChain(rpcUrl, () => rpc.readContract({ ...contracts.prgMarket, functionName: 'owner' }))
    return isAddressEqual(owner, account)
  }
  // One ABI serves all: `hasRole` is the same everywhere.
  const at = { ...contracts.timelock, address: contracts[governed[contract]].address }
  return callChain(rpcUrl, () => rpc.readContract({ ...at, functionName: 'hasRole', args: [roleId(role), account] }))
}
