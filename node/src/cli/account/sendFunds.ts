import { formatEther, isAddress, isAddressEqual, parseEther, zeroAddress } from 'viem'
import { z } from 'zod'
import { readFunds, transferCoin, transferNectar } from '#chain/peers/transferFunds.ts'
import { systemClock } from '#core/clock.ts'
import type { AccountAddress } from '#core/hashes.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import type { Journal } from '#store/journal.ts'
import { readableAmount } from '../readableAmount.ts'
import { UsageError } from '../usageError.ts'

interface FundsToSend {
  readonly to: AccountAddress
  /** In whole units, or `all`. */
  readonly amount: string
  readonly kind: 'nectar' | 'coin'
}

const AMOUNT = /^(all|\d{1,20}(\.\d{1,18})?)$/

/** Parses the arguments of a transfer. @throws {UsageError} if the address or the amount is invalid. */
export function fundsToSend(to: string, amount: string, kind: FundsToSend['kind']): FundsToSend {
  if (!isAddress(to))
    throw new UsageError(`Invalid address '${to}'.`, {
      hint: 'Give 0x and 40 hexadecimal digits; upper and lower case are its checksum, or all are lower case.',
    })
  if (!AMOUNT.test(amount))
    throw new UsageError(`Invalid amount '${amount}'.`, { hint: 'Give a number like 12.5, or all.' })
  return { to, amount, kind }
}

/** Coin that is kept back: about a day of gas, and the threshold below which a running peer warns. */
const KEPT_COIN_WEI = parseEther('0.01')

/**
 * Sends Nectar or coin from a peer's account to another, once. If the same command was interrupted before, it reports the outcome of that
 * transfer and sends no second one.
 *
 * @param tell - shows the result. After that, the same command sends a new transfer.
 * @throws {CallRefusedError} if the receiver is a contract of the swarm, the account has too little, or an interrupted transfer cannot be
 *   traced.
 */
export async function sendFunds(session: AccountSession, funds: FundsToSend, tell: (result: Sent) => void) {
  const { client, contracts, account } = session
  const { kind, amount } = funds
  const { to } = funds
  refuseLosses(session, to)
  const what = `${kind} ${amount} ${to.toLowerCase()}`
  const sends = createUnfinishedSends(session.journal)
  const before = sends.find(what)
  const send = before ?? { id: session.id(), amountWei: await payable(session, funds), sinceMs: systemClock.nowMs() }
  const { amountWei, id } = send
  const transfer =
    kind === 'coin' ? transferCoin({ to, amountWei, id }) : transferNectar(contracts, { to, amountWei, id })
  if (before === undefined) sends.add(what, send)
  else if (!session.knows(transfer.key)) {
    sends.remove(what)
    throw untraceable(before, account)
  }
  const { hash } = await session.send(transfer).catch(error => {
    // A pending transfer is queried again.
    if (error instanceof CallRefusedError && !error.retryable) sends.remove(what)
    throw error
  })
  const left = await readFunds(client, contracts, account)
  const result = {
    to,
    kind,
    sent: formatEther(amountWei),
    left: formatEther(kind === 'coin' ? left.coinWei : left.nectarWei),
    hash,
  }
  tell(before === undefined ? result : { ...result, interrupted: timeOf(before), note: NOTE })
  sends.remove(what)
}

/** Result of a transfer; of one that an interrupted command began, also when that was. */
export type Sent = {
  to: AccountAddress
  kind: FundsToSend['kind']
  sent: string
  left: string
  hash: string
  interrupted?: string
  note?: string
}

/** The result for people. */
export function sentLines({ to, kind, sent, left, hash, interrupted, note }: Sent): string[] {
  const lines = [
    `Sent ${readableAmount(sent)} ${unitOf(kind)} to ${to}; the account has ${readableAmount(left)} left.`,
    `transaction ${hash}`,
  ]
  return interrupted === undefined ? lines : [...lines, `Begun at ${interrupted}. ${note}`]
}

const NOTE =
  'This transfer was begun by the interrupted command; no second one was sent. Repeat the command to send another.'

const timeOf = ({ sinceMs }: UnfinishedSend) => new Date(sinceMs).toISOString()

function untraceable(before: UnfinishedSend, account: AccountAddress): CallRefusedError {
  return new CallRefusedError(
    `The same transfer was begun at ${timeOf(before)}, interrupted, and its outcome is no longer recorded.`,
    { hint: `Check the transactions of ${account} in an explorer. The same command sends another one from now on.` },
  )
}

/** The amount in wei, after checking that the account can send it. */
async function payable({ client, contracts, account }: AccountSession, { kind, amount }: FundsToSend): Promise<bigint> {
  const { nectarWei, coinWei } = await readFunds(client, contracts, account)
  const balanceWei = kind === 'coin' ? coinWei : nectarWei
  const keptWei = kind === 'coin' ? KEPT_COIN_WEI : 0n
  const sendableWei = balanceWei > keptWei ? balanceWei - keptWei : 0n
  const amountWei = amount === 'all' ? sendableWei : parseEther(amount)
  if (amountWei > 0n && amountWei <= sendableWei) return amountWei
  throw new CallRefusedError(`The account ${account} can send ${formatEther(sendableWei)} ${unitOf(kind)} at most.`, {
    hint:
      kind === 'coin'
        ? `${formatEther(keptWei)} of its ${formatEther(balanceWei)} stay for gas.`
        : 'npx waggle unstake returns a stake; a running peer claims its earnings.',
  })
}

const unitOf = (kind: FundsToSend['kind']) => (kind === 'coin' ? "of the chain's coin" : 'Nectar')

/** Funds sent to a contract of the swarm, or to the zero address, are lost. */
function refuseLosses({ account, contracts }: AccountSession, to: AccountAddress): void {
  const lost = [
    zeroAddress,
    account,
    ...Object.values(contracts).flatMap(contract => (typeof contract === 'object' ? [contract.address] : [])),
  ]
  if (lost.some(address => isAddressEqual(address, to)))
    throw new CallRefusedError(`${to} is this account itself, or a contract of the swarm.`, {
      hint: 'Give the address of an account whose key someone has.',
    })
}

/** Transfers whose outcome has not been shown yet, by their arguments. */
const STATE = 'sends'

const sendSchema = z.object({ id: z.string(), amountWei: z.string().regex(/^\d+$/), sinceMs: z.number() })
const stateSchema = z.record(z.string(), sendSchema).catch({})

/** A transfer as it was first requested. */
type UnfinishedSend = { id: string; amountWei: bigint; sinceMs: number }

/**
 * Remembers each transfer until its outcome has been shown, so that a command repeated after an interruption queries the first one instead
 * of sending another.
 */
function createUnfinishedSends(journal: Pick<Journal, 'getState' | 'setState'>) {
  const read = () => stateSchema.parse(journal.getState(STATE) ?? {})
  return {
    find(what: string): UnfinishedSend | undefined {
      const found = read()[what]
      return found && { ...found, amountWei: BigInt(found.amountWei) }
    },
    add(what: string, { id, amountWei, sinceMs }: UnfinishedSend): void {
      journal.setState(STATE, { ...read(), [what]: { id, amountWei: String(amountWei), sinceMs } })
    },
    remove(what: string): void {
      const { [what]: _, ...others } = read()
      journal.setState(STATE, others)
    },
  }
}
