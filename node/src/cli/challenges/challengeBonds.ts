import { formatEther } from 'viem'
import { callChain } from '#chain/callChain.ts'
import { readAppealBond } from '#chain/challenges/appeals.ts'
import { readDemandBond } from '#chain/challenges/leafDemands.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import type { ReadSession } from '#roles/readSession.ts'
import { readableAmount } from '../readableAmount.ts'

/** A bond of a demand or an appeal, in the chain's native coin. */
export type Bond = { bond: string; bondWei: string; terms: string }

/** Called with a bond before it is sent. */
export type OnBond = (bond: Bond) => void

/** Terms of a bond, as the contract `Challenges` defines them. */
const terms = {
  demand: 'It is returned less the gas of showing the leaf, and in full if the leaf is not shown.',
  appeal:
    'Half of it pays the jury. The other half is returned unless the score stands; then it goes to the other side.',
} as const

export function bondOf(kind: keyof typeof terms, wei: bigint): Bond {
  return { bond: formatEther(wei), bondWei: `${wei}`, terms: terms[kind] }
}

type BondSession = Pick<AccountSession, 'client' | 'contracts' | 'account'>

/** The current bonds of a demand and of appeals, and the account's balance; null without an account. Nothing is sent. */
export async function listBonds({ client, contracts, account }: ReadSession) {
  const [balance, demand, first, second] = await Promise.all([
    account && callChain(client.rpcUrl, () => client.rpc.getBalance({ address: account })),
    readDemandBond(client, contracts),
    readAppealBond(client, contracts, 1),
    readAppealBond(client, contracts, 2),
  ])
  return {
    account,
    balance: balance === null ? null : formatEther(balance),
    demand: bondOf('demand', demand),
    appeal: bondOf('appeal', first),
    secondAppeal: bondOf('appeal', second),
  }
}

/** The bonds for people, with what happens to each. */
export function bondLines({ account, balance, demand, appeal, secondAppeal }: Bonds): string[] {
  const of = (title: string, { bond, terms }: Bond) => `${title.padEnd(15)}${readableAmount(bond)}. ${terms}`
  return [
    'Bonds, in the native coin:',
    of('demand', demand),
    of('appeal', appeal),
    of('second appeal', secondAppeal),
    ...(balance === null ? [] : [`The account ${account} has ${readableAmount(balance)}.`]),
  ]
}

type Bonds = Awaited<ReturnType<typeof listBonds>>

/**
 * Reports a bond, and checks that the account can pay it.
 *
 * @throws {CallRefusedError} if the balance is too low: the outbox would retry until the end of the round.
 */
export async function announceBond({ client, account }: BondSession, bond: Bond, onBond: OnBond): Promise<void> {
  onBond(bond)
  const balance = await callChain(client.rpcUrl, () => client.rpc.getBalance({ address: account }))
  if (balance > BigInt(bond.bondWei)) return
  const has = formatEther(balance)
  throw new CallRefusedError(`The bond is ${bond.bond} of the native coin, and the account ${account} has ${has}.`, {
    hint: 'Nothing was sent. Fund the account with the bond and some gas, and try again.',
  })
}
