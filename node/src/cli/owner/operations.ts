import type { Deployment } from '@waggle/deployments/record'
import { type Abi, encodeFunctionData, zeroHash } from 'viem'
import { type Operation, readGovernance } from '#chain/governance/readGovernance.ts'
import { operationArgs, operationId, type TimelockCall } from '#chain/governance/timelock.ts'
import { readPeerIds } from '#chain/peers/readPeers.ts'
import type { AccountKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { callAsOwner } from '../account/callAsOwner.ts'
import { describeCall, type PeerIds, peersOf } from './describeCall.ts'
import { type OwnerSession, ProposalRefusedError, TooEarlyError, type Transaction } from './openOwner.ts'

export type ToldOperation = Pick<Operation, 'id' | 'readyAtSec'> & {
  state: Exclude<Operation['state'], 'missing'> | 'cancelled'
  does: string[]
  readyAt: string | null
}
export type Step = ToldOperation & { transaction: Transaction; hash: Hex | null }

/** Names of contracts by their addresses in small letters. */
export function namesOf({ contracts }: Deployment): ReadonlyMap<string, string> {
  return new Map(Object.entries(contracts).map(([name, { address }]) => [address.toLowerCase(), name]))
}

/** Every proposed operation in words. */
export async function listOperations(session: OwnerSession): Promise<ToldOperation[]> {
  const { operations } = await readGovernance(session.client, session.contracts)
  return tell(session, operations)
}

/** Executes an operation whose delay has passed; requires `EXECUTOR_ROLE`. A null key sends nothing. */
export async function executeOperation(session: OwnerSession, start: string, key: AccountKey | null): Promise<Step> {
  const operation = await findOperation(session, start)
  const told = await tellOne(session, operation)
  if (operation.state === 'waiting')
    throw new TooEarlyError(`Operation ${operation.id} cannot be executed before ${told.readyAt}.`, {
      hint: 'Its delay lets everybody read it. Run the command again after the delay.',
      retryable: true,
    })
  if (operation.state !== 'ready') throw gone(operation)
  return step(session, { told, key, call: executionOf(operation), after: 'done' })
}

/** Cancels an operation that was not executed; requires `CANCELLER_ROLE`. A null key sends nothing. */
export async function cancelOperation(session: OwnerSession, start: string, key: AccountKey | null): Promise<Step> {
  const operation = await findOperation(session, start)
  if (operation.state !== 'waiting' && operation.state !== 'ready') throw gone(operation)
  const told = await tellOne(session, operation)
  return step(session, { told, key, call: { functionName: 'cancel', args: [operation.id] }, after: 'cancelled' })
}

type TimelockFunction = { functionName: string; args: readonly unknown[] }
type Sent = { told: ToldOperation; key: AccountKey | null; call: TimelockFunction; after: ToldOperation['state'] }

async function step(session: OwnerSession, { told, key, call, after }: Sent): Promise<Step> {
  const { address, abi } = session.contracts.timelock
  const data = encodeFunctionData({ abi: abi as Abi, ...call })
  const transaction: Transaction = { to: address, value: '0', data }
  if (key === null) return { ...told, transaction, hash: null }
  const hash = await callAsOwner({ ...session, key }, ({ timelock }) => ({ ...timelock, ...call }))
  return { ...told, state: after, readyAt: null, readyAtSec: null, transaction, hash }
}

function executionOf({ id, calls, salt, predecessor }: Operation): TimelockFunction {
  const [first] = calls
  const args = first && operationArgs(first, salt, predecessor)
  if (calls.length === 1 && args !== undefined && operationId(args) === id) return { functionName: 'execute', args }
  const [targets, values, payloads] = [
    calls.map(one => one.target),
    calls.map(one => one.value),
    calls.map(one => one.data),
  ]
  return { functionName: 'executeBatch', args: [targets, values, payloads, predecessor, salt] }
}

async function findOperation({ client, contracts }: OwnerSession, start: string): Promise<Operation> {
  const { operations } = await readGovernance(client, contracts)
  const found = /^0x[0-9a-f]{6,64}$/.test(start) ? operations.filter(({ id }) => id.startsWith(start)) : []
  if (found.length === 1) return found[0] as Operation
  const count = found.length === 0 ? 'No operation has' : `${found.length} operations have`
  throw new ProposalRefusedError(`${count} an id that begins with ${start}.`, {
    hint: 'npx waggle owner list shows the ids; eight characters of one are enough.',
  })
}

function gone({ id, state }: Operation): ProposalRefusedError {
  return new ProposalRefusedError(`Operation ${id} was ${state === 'done' ? 'executed' : 'cancelled'} already.`, {
    hint: state === 'done' ? 'Nothing is left to do.' : 'Propose it again if it is still wanted.',
  })
}

/** Operations in words, with the names of the peers that they are about. */
export async function tell(session: OwnerSession, operations: readonly Operation[]): Promise<ToldOperation[]> {
  const calls = operations.flatMap(one => one.calls)
  const peerIds = await readPeersOf(session, calls)
  return operations.map(operation => inWords(session, operation, peerIds))
}

async function tellOne(session: OwnerSession, operation: Operation): Promise<ToldOperation> {
  const [told] = await tell(session, [operation])
  return told as ToldOperation
}

/** Ids of the registered ones among the peers that calls are about. */
export async function readPeersOf(
  { client, contracts }: OwnerSession,
  calls: readonly Pick<TimelockCall, 'data'>[],
): Promise<PeerIds> {
  const { abi } = contracts.rewardVotes
  const keys = [...new Set(calls.flatMap(call => peersOf(abi, call)))]
  const ids = keys.length === 0 ? [] : await readPeerIds(client, contracts, keys)
  return new Map(keys.flatMap((key, at) => (ids[at] ? [[key, ids[at]] as const] : [])))
}

function inWords(
  { contracts, deployment }: OwnerSession,
  { id, state, readyAtSec, calls, predecessor }: Operation,
  peerIds: PeerIds,
): ToldOperation {
  const names = namesOf(deployment)
  const after = predecessor === zeroHash ? [] : [`only after operation ${predecessor}`]
  return {
    // The timelock forgets an operation that is cancelled.
    ...{ id, state: state === 'missing' ? 'cancelled' : state, readyAtSec },
    readyAt: readyAtSec === null ? null : new Date(readyAtSec * 1000).toISOString(),
    does: [...calls.map(call => describeCall(contracts, names, call, peerIds)), ...after],
  }
}
