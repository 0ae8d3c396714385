import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { privateKeyToAccount } from 'viem/accounts'
import { NodeError } from '#base/errors.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { openChain } from '#chain/openChain.ts'
import { type FeeSettings, feeLimits } from '#chain/outbox/feeSettings.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { sendThroughPeer } from '#chain/outbox/sendThroughPeer.ts'
import { systemClock } from '#core/clock.ts'
import type { AccountAddress } from '#core/hashes.ts'
import { silentLogger } from '#core/logger.ts'
import { type OutboxIntent, type OutboxStore, ROUND_PASSED } from '#core/outboxStore.ts'
import type { Patience } from '#core/patience.ts'
import type { Identity } from '#store/identity.ts'
import { createJournal } from '#store/journal.ts'
import { DataFolderLockedError, lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'

/** A contract, or the state of the account, does not allow the call. */
export class CallRefusedError extends NodeError {
  override readonly code = 'CALL_REFUSED'
}

export type SessionOptions = {
  data: string
  deployment: Deployment
  rpcUrl: string
  identity: Identity
  /** Bounds of what the account pays for gas. */
  fees?: FeeSettings
  /** With endpoints that answer slowly or not at all. */
  patience?: Patience
  /** Runs once if a call of another command is continued. */
  onContinue?: () => void
}

/** The outcome of a call is not known in time. */
export class CallPendingError extends NodeError {
  override readonly code = 'CALL_PENDING'
}

/** One account's calls to the contracts from the command line. */
export type AccountSession = Awaited<ReturnType<typeof openAccountSession>>

/**
 * Opens the account of a data folder for single calls. They go through the outbox of its peer, so that the next command
 * resumes what a killed one left open. While the peer runs, it sends for the command.
 */
export async function openAccountSession(options: SessionOptions) {
  const { data, deployment, rpcUrl, identity, fees, patience, onContinue } = options
  const lock = tryLock(data)
  const db = openDatabase(join(data, JOURNAL_FILE))
  const ended = new AbortController()
  const store = createOutboxTable(db)
  const continuing = continueOpenCalls(store, onContinue)
  const { accountKey, peerKey, signer } = identity
  const common = { rpcUrl, deployment, patience, clock: systemClock }
  async function openSender() {
    if (lock === null) {
      const client = await connectChain({ ...common, payer: privateKeyToAccount(accountKey).address })
      const send = (intent: OutboxIntent) => sendThroughPeer({ store, clock: systemClock }, intent)
      return { client, send, done: Promise.resolve() }
    }
    const ambient = {
      ...{ logger: silentLogger, signal: ended.signal, pollMs: 250 },
      outboxOptions: { ...(fees && feeLimits(fees)), ...(patience && { outageMs: patience.limitMs }) },
    }
    const chain = await openChain({ ...common, ...ambient, accountKey, peerKey, signer, outbox: store })
    // `send` throws it.
    chain.done.catch(() => {})
    return chain
  }
  const release = () => {
    db.close()
    lock?.release()
  }
  const sender = await openSender().catch(error => {
    release()
    throw error
  })
  return {
    data,
    peerKey,
    account: privateKeyToAccount(accountKey).address as AccountAddress,
    contracts: contractsOf(deployment),
    client: sender.client,
    /** The journal of the folder's peer, which may be running and writing to it. */
    journal: createJournal(db, systemClock),
    /** A new id for each call to send. */
    id: (): string => randomUUID(),
    /** Whether the outbox has the call of this key, in any state. */
    knows: (key: string): boolean => store.get(key) !== undefined,
    /** Sends a call, or continues the same one of an earlier command. @throws {CallRefusedError} if no block includes it. */
    async send(intent: OutboxIntent) {
      const outcome = await sender.send(continuing(intent))
      if (outcome.status === 'mined') return outcome
      if (outcome.status === 'stopped') await sender.done.catch(throwPending)
      throw refusedCall(outcome, lock === null)
    },
    async close(): Promise<void> {
      ended.abort()
      await sender.done.catch(() => {})
      release()
    },
  }
}

/** Keys of commands end with an id of `session.id()`; those of a running peer do not, unless an older version made them. */
const OF_COMMAND = /:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Continues the calls that another command left unsent or unmined: whoever repeats a command whose outcome was unknown wants one bet, not two.
 *
 * A command that still runs cannot be told from one that was killed, so that the caller is told.
 */
export function continueOpenCalls(
  store: Pick<OutboxStore, 'live'>,
  onContinue = () => {},
): (intent: OutboxIntent) => OutboxIntent {
  const open = store.live().filter(({ key, status }) => status !== 'mined' && OF_COMMAND.test(key))
  let tell = onContinue
  return intent => {
    const { key, to, data, valueWei = 0n } = intent
    const isSame = (one: OutboxIntent) => one.to === to && one.data === data && (one.valueWei ?? 0n) === valueWei
    const own = open.findIndex(one => one.key === key)
    const same = own < 0 ? open.findIndex(isSame) : own
    const [found] = open.splice(same, same < 0 ? 0 : 1)
    if (found === undefined || found.key === key) return intent
    tell()
    tell = () => {}
    return found
  }
}

function throwPending(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new CallPendingError(`It is unknown whether the call was sent: ${reason}`, {
    hint: 'It is kept, and the next command or start of this peer continues it. The same command, repeated first, sends no second one.',
    retryable: true,
    cause,
  })
}

/** Null while the folder's peer runs. */
function tryLock(data: string) {
  try {
    return lockDataFolder(data)
  } catch (error) {
    if (error instanceof DataFolderLockedError) return null
    throw error
  }
}

/** The error of a call that no block includes. */
export function refusedCall(outcome: Exclude<TxOutcome, { status: 'mined' }>, throughPeer: boolean): CallRefusedError {
  if (outcome.status === 'reverted')
    return new CallRefusedError(`The call would revert: ${outcome.error}.`, {
      hint: 'Nothing was changed. The contract gave this error.',
    })
  if (outcome.status === 'dropped')
    return new CallRefusedError(`The call was dropped: ${outcome.reason}.`, {
      hint:
        outcome.reason === ROUND_PASSED
          ? 'The contract takes this call only in certain rounds, and they are over.'
          : "Send it again if it is not among the account's transactions.",
    })
  return new CallRefusedError(throughPeer ? 'The peer has not sent it yet.' : 'The command ended before that.', {
    hint: 'It is kept, and resumed by the next start. npx waggle status shows whether the peer runs.',
    retryable: true,
  })
}
