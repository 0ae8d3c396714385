import { type Abi, encodeFunctionData, isAddress } from 'viem'
import { type Governed, governed, type Power } from '#chain/governance/powers.ts'
import type { TimelockCall } from '#chain/governance/timelock.ts'
import type { Hex } from '#core/hex.ts'
import { type OwnerSession, ProposalRefusedError } from './openOwner.ts'

export type ActionContext = OwnerSession & {
  /** First round of a change, if one was named. */
  fromRound: number | null
  /** Hash of the specification in a file. */
  hashOfSpec: (path: string) => Promise<Hex>
}

/** A call, and the power that it takes; with `by`, only this holder of the power can make it. */
export type Proposal = { power: Power; call: TimelockCall; by?: Hex }

/** An action of owners. */
export type Action = {
  /** Names of its arguments; all are required except one that ends with a question mark. */
  takes: readonly string[]
  summary: string
  /** @throws {ProposalRefusedError} for a value that would do harm or nothing. */
  build: (words: readonly string[], context: ActionContext) => Promise<Proposal>
}

/** A contract call, for an account with the required role. */
export function proposalOf(
  { contracts }: OwnerSession,
  power: Power,
  [functionName, ...args]: readonly [string, ...unknown[]],
): Proposal {
  const { address, abi } = contracts[governed[power.contract]]
  return {
    power,
    call: { target: address, value: 0n, data: encodeFunctionData({ abi: abi as Abi, functionName, args }) },
  }
}

/** The power to grant and revoke a role. */
export function adminOf(contract: Governed): Power {
  return { contract, role: contract === 'SwarmCoordinator' ? 'OWNER_ROLE' : 'DEFAULT_ADMIN_ROLE' }
}

/** @throws {ProposalRefusedError} */
export function addressOf(word: string): Hex {
  if (isAddress(word)) return word
  throw new ProposalRefusedError(`${word} is not an address.`, {
    hint: 'Write 0x and 40 hex digits; with capitals, their checksum must be right.',
  })
}

/** @throws {ProposalRefusedError} */
export function wholeOf(name: string, word: string, [least, most]: readonly [number, number]): number {
  const number = /^\d{1,12}$/.test(word) ? Number(word) : Number.NaN
  if (number >= least && number <= most) return number
  throw new ProposalRefusedError(`${name} ${word} is out of range.`, {
    hint: `Give a whole number from ${least} to ${most}.`,
  })
}
