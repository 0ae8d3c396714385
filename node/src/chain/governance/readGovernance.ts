import { parseAbi, zeroAddress, zeroHash } from 'viem'
import type { Salt } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { type BlockRange, eventRanges, RARE_RANGE_BLOCKS } from '../eventRanges.ts'
import { type Governed, governed, type Power, roleName } from './powers.ts'
import { readStanding, type TimelockCall, type TimelockState } from './timelock.ts'

type HeldPower = Power & { holder: Hex }
export type Operation = {
  id: Hex
  state: TimelockState
  readyAtSec: number | null
  calls: TimelockCall[]
  predecessor: Hex
  salt: Salt
}

const events = parseAbi([
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'event CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)',
  'event CallSalt(bytes32 indexed id, bytes32 salt)',
])

/**
 * Holders of each power over a deployment, and every operation ever proposed to its timelock, oldest first, with its current state. Read
 * from the contracts' events since deployment.
 */
export async function readGovernance(chain: FollowedChain, contracts: Contracts) {
  const names = new Map(
    Object.entries(governed).map(([name, key]) => [contracts[key].address.toLowerCase(), name as Governed]),
  )
  const powers = new Map<string, HeldPower>()
  const proposed = new Map<Hex, Omit<Operation, 'state' | 'readyAtSec'>>()
  const address = [...names.keys()] as Hex[]
  const logsIn = (range: BlockRange) => chain.rpc.getLogs({ address, events, strict: true, ...range })
  const { number } = await chain.heads.read()
  const since = { first: BigInt(contracts.startBlock), last: BigInt(number), most: RARE_RANGE_BLOCKS }
  for await (const { events: logs } of eventRanges(chain, since, logsIn))
    for (const log of logs) {
      const contract = names.get(log.address.toLowerCase()) as Governed
      const keep = (role: string, holder: Hex) =>
        powers.set(`${contract} ${role} ${holder}`, { contract, role, holder })
      switch (log.eventName) {
        case 'RoleGranted':
          keep(roleName(contracts, log.args.role) ?? log.args.role, log.args.account)
          break
        case 'RoleRevoked':
          powers.delete(`${contract} ${roleName(contracts, log.args.role) ?? log.args.role} ${log.args.account}`)
          break
        case 'OwnershipTransferred':
          powers.delete(`${contract} owner ${log.args.previousOwner}`)
          if (log.args.newOwner !== zeroAddress) keep('owner', log.args.newOwner)
          break
        case 'CallSalt': {
          const operation = proposed.get(log.args.id)
          if (operation !== undefined) operation.salt = log.args.salt
          break
        }
        case 'CallScheduled': {
          const { id, index, target, value, data, predecessor } = log.args
          const operation = proposed.get(id) ?? { id, calls: [], predecessor, salt: zeroHash }
          operation.calls[Number(index)] = { target, value, data }
          proposed.set(id, operation)
        }
      }
    }
  const operations: Operation[] = []
  for (const operation of proposed.values())
    operations.push({ ...operation, ...(await readStanding(chain, contracts, operation.id)) })
  return { powers: [...powers.values()], operations }
}
