import { type Address, createPublicClient, http, keccak256, parseAbi, stringToBytes, zeroAddress, zeroHash } from 'viem'
import type { Deployment } from '../../deployments/record.ts'

const events = parseAbi([
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
])

const ROLES = [
  'BOOTNODE_MANAGER_ROLE',
  'CANCELLER_ROLE',
  'ENVIRONMENT_MANAGER_ROLE',
  'EVALUATOR_ADMIN_ROLE',
  'EXECUTOR_ROLE',
  'OWNER_ROLE',
  'PROPOSER_ROLE',
  'ROUND_MANAGER_ROLE',
  'SCHEDULE_MANAGER_ROLE',
  'STAGE_MANAGER_ROLE',
]
const roleNames = new Map([
  [zeroHash, 'DEFAULT_ADMIN_ROLE'],
  ...ROLES.map(role => [keccak256(stringToBytes(role)), role]),
] as [string, string][])

/**
 * Every power that anybody holds over a deployment, as `contract role holder`, sorted. It reads the contracts' events since creation.
 *
 * @param others - names of accounts other than its contracts.
 */
export async function readPowers(
  url: string,
  { contracts }: Deployment,
  others: Readonly<Record<string, Address>>,
): Promise<string[]> {
  const made = Object.entries(contracts).map(([name, { address }]) => [address, name] as const)
  const named = new Map(
    [...made, ...Object.entries(others).map(([name, address]) => [address, name] as const)].map(([address, name]) => [
      address.toLowerCase(),
      name,
    ]),
  )
  const nameOf = (address: Address) => named.get(address.toLowerCase()) ?? address
  const logs = await createPublicClient({ transport: http(url) }).getLogs({
    address: made.map(([address]) => address),
    events,
    fromBlock: 0n,
    strict: true,
  })
  const powers = new Set<string>()
  for (const { address, eventName, args } of logs) {
    const at = nameOf(address)
    if (eventName === 'OwnershipTransferred') {
      powers.delete(`${at} owner ${nameOf(args.previousOwner)}`)
      if (args.newOwner !== zeroAddress) powers.add(`${at} owner ${nameOf(args.newOwner)}`)
      continue
    }
    const power = `${at} ${roleNames.get(args.role) ?? args.role} ${nameOf(args.account)}`
    if (eventName === 'RoleGranted') powers.add(power)
    else powers.delete(power)
  }
  return [...powers].sort()
}
