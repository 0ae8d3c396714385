import { type Abi, decodeFunctionData, encodeFunctionData, type Hex, isAddressEqual, numberToHex, pad } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { callChain } from '#chain/callChain.ts'
import { governed, holdsPower, type Power } from '#chain/governance/powers.ts'
import { readGovernance } from '#chain/governance/readGovernance.ts'
import { operationArgs, operationId, readDelay, readStanding, type TimelockCall } from '#chain/governance/timelock.ts'
import { revertedWith, revertHint } from '#chain/revertedWith.ts'
import type { AccountKey } from '#core/hashes.ts'
import { callAsOwner } from '../account/callAsOwner.ts'
import type { Proposal } from './action.ts'
import { describeCall } from './describeCall.ts'
import { type OwnerSession, ProposalRefusedError, type Transaction } from './openOwner.ts'
import { namesOf, readPeersOf } from './operations.ts'

/** A call `via` the timelock waits; an account that holds the power itself sends it at once. */
export type Proposed = {
  via: 'timelock' | 'account'
  does: string
  id: Hex | null
  state: 'would be sent' | 'waiting' | 'ready' | 'done'
  readyAt: string | null
  transaction: Transaction
  hash: Hex | null
}

/** A call is made by a key that sends it, or is simulated for an account; null for the only account that can. */
export type Caller = { key: AccountKey } | { key: null; account: Hex | null }

/**
 * Proposes a call to the timelock if the timelock has the power, or sends it if the account has it.
 *
 * Before anything is sent, the call is simulated from the holder of the power, so that a revert is reported now and not after the delay.
 *
 * @throws {ProposalRefusedError} if neither the account nor the timelock has the power, several accounts have it and none is named, or the
 * call would revert.
 */
export async function propose(session: OwnerSession, { power, call, by }: Proposal, caller: Caller): Promise<Proposed> {
  const { key } = caller
  const account = key === null ? caller.account : privateKeyToAddress(key)
  const holder = await holderOf(session, power, account ?? by ?? null)
  await simulate(session, call, holder)
  const peerIds = await readPeersOf(session, [call])
  const does = describeCall(session.contracts, namesOf(session.deployment), call, peerIds)
  if (!isAddressEqual(holder, session.contracts.timelock.address)) return sendNow(session, { power, call, does }, key)
  const proposed = { via: 'timelock' as const, does }
  const { args, id, standing } = await freeOperation(session, call)
  const delaySec = BigInt(await readDelay(session.client, session.contracts))
  const { address, abi } = session.contracts.timelock
  const schedule = { functionName: 'schedule', args: [...args, delaySec] } as const
  const transaction = { to: address, value: '0', data: encodeFunctionData({ abi, ...schedule }) }
  if (standing.state !== 'missing')
    return { ...proposed, id, state: standing.state, readyAt: iso(standing.readyAtSec), transaction, hash: null }
  if (key === null) {
    if (account !== null) await simulate(session, { target: address, value: 0n, data: transaction.data }, account)
    return { ...proposed, id, state: 'would be sent', readyAt: null, transaction, hash: null }
  }
  const hash = await callAsOwner({ ...session, key }, ({ timelock }) => ({ ...timelock, ...schedule }))
  const { readyAtSec } = await readStanding(session.client, session.contracts, id)
  return { ...proposed, id, state: 'waiting', readyAt: iso(readyAtSec), transaction, hash }
}

const iso = (sec: number | null) => (sec === null ? null : new Date(sec * 1000).toISOString())

/** The account if it has the power, else the timelock; where no account is named, the only one that has it. */
async function holderOf({ client, contracts }: OwnerSession, power: Power, account: Hex | null): Promise<Hex> {
  const timelock = contracts.timelock.address
  if (account !== null && (await holdsPower(client, contracts, power, account))) return account
  const isTimelocks = await holdsPower(client, contracts, power, timelock)
  if (account !== null && isTimelocks) return timelock
  const { powers } = await readGovernance(client, contracts)
  const held = powers.filter(({ contract, role }) => contract === power.contract && role === power.role)
  const others = held.map(({ holder }) => holder).filter(holder => !isAddressEqual(holder, timelock))
  const holders = isTimelocks ? [timelock, ...others] : others
  if (account === null && holders.length === 1 && holders[0] !== undefined) return holders[0]
  const named = `${power.role} of ${power.contract}`
  if (account === null && holders.length > 1)
    throw new ProposalRefusedError(`${holders.length} accounts hold ${named}: ${holders.join(', ')}.`, {
      hint: 'Name the one that will make the call with --account: each makes another one.',
    })
  throw new ProposalRefusedError(`Neither the account ${account} nor the timelock holds ${named}.`, {
    hint: `It is held by ${holders.join(', ') || 'nobody'}: use that account's key.`,
  })
}

async function simulate({ client }: OwnerSession, { target, value, data }: TimelockCall, from: Hex): Promise<void> {
  try {
    await callChain(client.rpcUrl, () => client.rpc.call({ account: from, to: target, data, value }))
  } catch (cause) {
    const reason = revertedWith(cause)
    if (reason === null) throw cause
    throw new ProposalRefusedError(`The call would revert: ${reason}.`, {
      hint: revertHint(reason),
      cause,
    })
  }
}

async function sendNow(
  session: OwnerSession,
  { power, call, does }: Proposal & { does: string },
  key: AccountKey | null,
): Promise<Proposed> {
  const transaction = { to: call.target, value: `${call.value}`, data: call.data }
  const proposed = { via: 'account' as const, does, id: null, readyAt: null, transaction }
  if (key === null) return { ...proposed, state: 'would be sent', hash: null }
  const contract = session.contracts[governed[power.contract]]
  const { functionName, args = [] } = decodeFunctionData({ abi: contract.abi as Abi, data: call.data })
  const hash = await callAsOwner({ ...session, key }, () => ({ ...contract, functionName, args }))
  return { ...proposed, state: 'done', hash }
}

/** A waiting operation of this call; else the first that was not executed: the same call may be made again. */
async function freeOperation({ client, contracts }: OwnerSession, call: TimelockCall) {
  for (let count = 0; ; count++) {
    const args = operationArgs(call, pad(numberToHex(count)))
    const id = operationId(args)
    const standing = await readStanding(client, contracts, id)
    if (standing.state !== 'done') return { args, id, standing: { ...standing, state: standing.state } }
  }
}
