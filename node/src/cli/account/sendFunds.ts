import { randomUUID } from 'node:crypto'
import { formatEther, isAddress, isAddressEqual, parseEther, zeroAddress } from 'viem'
import { readFunds, transferCoin, transferNectar } from '#chain/peers/transferFunds.ts'
import type { Hex } from '#core/hex.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'

interface FundsToSend {
  readonly to: string
  /** In whole units, or `all`. */
  readonly amount: string
  readonly kind: 'nectar' | 'coin'
}

/** Coin that stays: about what a peer pays for a day of calls, and what a running one warns below. */
const KEPT_COIN_WEI = parseEther('0.01')

/**
 * Sends Nectar or coin of a peer's account to another.
 *
 * @throws {CallRefusedError} if the amount or the receiver is not one, or the account has too little.
 */
export async function sendFunds(session: AccountSession, { to, amount, kind }: FundsToSend) {
  const { client, contracts, account } = session
  const receiver = receiverOf(session, to)
  const { nectarWei, coinWei } = await readFunds(client, contracts, account)
  const balanceWei = kind === 'coin' ? coinWei : nectarWei
  const keptWei = kind === 'coin' ? KEPT_COIN_WEI : 0n
  const sendableWei = balanceWei > keptWei ? balanceWei - keptWei : 0n
  const amountWei = amount === 'all' ? sendableWei : amountOf(amount)
  if (amountWei === 0n || amountWei > sendableWei)
    throw new CallRefusedError(`The account ${account} can send ${formatEther(sendableWei)} ${unitOf(kind)} at most.`, {
      hint:
        kind === 'coin'
          ? `${formatEther(keptWei)} of its ${formatEther(balanceWei)} stay for gas.`
          : 'What is staked comes back by npx waggle unstake; a running peer claims what it earns.',
    })
  const transfer = { to: receiver, amountWei, id: randomUUID() }
  const { hash } = await session.send(kind === 'coin' ? transferCoin(transfer) : transferNectar(contracts, transfer))
  return { to: receiver, kind, sent: formatEther(amountWei), left: formatEther(balanceWei - amountWei), hash }
}

const unitOf = (kind: FundsToSend['kind']) => (kind === 'coin' ? "of the chain's coin" : 'Nectar')

function amountOf(text: string): bigint {
  if (/^\d{1,20}(\.\d{1,18})?$/.test(text)) return parseEther(text)
  throw new CallRefusedError(`Invalid amount '${text}'.`, { hint: 'Give a number like 12.5, or all.' })
}

/** What a contract of the swarm or nobody gets is lost. */
function receiverOf({ account, contracts }: AccountSession, to: string): Hex {
  if (!isAddress(to))
    throw new CallRefusedError(`Invalid address '${to}'.`, {
      hint: 'Give 0x and 40 hexadecimal digits; upper and lower case are its checksum, or all are lower case.',
    })
  const lost = [
    zeroAddress,
    account,
    ...Object.values(contracts).flatMap(contract => (typeof contract === 'object' ? [contract.address] : [])),
  ]
  if (lost.some(address => isAddressEqual(address, to)))
    throw new CallRefusedError(`${to} is this account itself, or a contract of the swarm.`, {
      hint: 'Give the address of an account that somebody holds.',
    })
  return to
}
