import { formatEther } from 'viem'
import { callChain } from '#chain/callChain.ts'
import { readAppealBond } from '#chain/challenges/appeals.ts'
import { readDemandBond } from '#chain/challenges/leafDemands.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import type { ReadSession } from '#roles/readSession.ts'

/** A bond of a demand or an appeal, in the chain's native coin. */
export type Bond = { bond: string; bondWei: string; terms: string }

/** Told of a bond before it is sent. */
export type OnBond = (bond: Bond) => void

/** What becomes of a bond: `Challenges`. */
const terms = {
  demand: 'It comes back less the gas of showing the leaf, and whole if it is not shown.',
  appeal:
    'Half of it pays the seats that are called. The other half comes back unless the score stands in the end; then it goes to the other side.',
} as const

export function bondOf(kind: keyof typeof terms, wei: bigint): Bond {
  return { bond: formatEther(wei), bondWei: `${wei}`, terms: terms[kind] }
}

type BondSession = Pick<AccountSession, 'client' | 'contracts' | 'account'>

/** What a demand and appeals take now, and what the account has for it, null if none is known. Nothing is sent. */
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

/**
 * Says what a bond is, and sees to it that the account has it.
 *
 * @throws {CallRefusedError} if it has too little: an outbox would try until the round is over.
 */
export async function announceBond({ client, account }: BondSession, bond: Bond, onBond: OnBond): Promise<void> {
  onBond(bond)
  const balance = await callChain(client.rpcUrl, () => client.rpc.getBalance({ address: account }))
  if (balance > BigInt(bond.bondWei)) return
  const has = formatEther(balance)
  throw new CallRefusedError(`The bond is ${bond.bond} of the native coin, and the account ${account} has ${has}.`, {
    hint: 'Nothing was sent. Send the account the bond and some gas, and ask again.',
  })
}
