import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { openChain } from '#chain/openChain.ts'
import type { TxOutcome } from '#chain/outbox.ts'
import { sendThroughPeer } from '#chain/sendThroughPeer.ts'
import { systemClock } from '#core/clock.ts'
import { NodeError } from '#core/errors.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Identity } from '#store/identity.ts'
import { createJournal } from '#store/journal.ts'
import { DataFolderLockedError, lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'

/** A contract, or the state of the account, does not allow what was asked. */
export class CallRefusedError extends NodeError {
  override readonly code = 'CALL_REFUSED'
}

export type DeskOptions = { data: string; deployment: Deployment; rpcUrl: string; identity: Identity }

/** The contracts as one account deals with them from the command line. */
export type AccountDesk = Awaited<ReturnType<typeof openAccountDesk>>

/**
 * Opens the account of a data folder for single calls, through the same outbox as its peer's: what a killed command left
 * open goes on with the next. While the peer runs, it sends for the command.
 */
export async function openAccountDesk({ data, deployment, rpcUrl, identity }: DeskOptions) {
  const lock = tryLock(data)
  const db = openDatabase(join(data, JOURNAL_FILE))
  const ended = new AbortController()
  const store = createOutboxTable(db)
  const { accountKey, peerKey, signer } = identity
  const common = { rpcUrl, deployment, clock: systemClock }
  async function openSender() {
    if (lock === null) {
      const client = await connectChain({ ...common, payer: privateKeyToAccount(accountKey).address })
      const send = (intent: OutboxIntent) => sendThroughPeer({ store, clock: systemClock }, intent)
      return { client, send, done: Promise.resolve() }
    }
    const ambient = { logger: silentLogger, signal: ended.signal, pollMs: 250 }
    return openChain({ ...common, ...ambient, accountKey, peerKey, signer, outbox: store })
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
    account: privateKeyToAccount(accountKey).address as Hex,
    contracts: contractsOf(deployment),
    client: sender.client,
    /** What the folder's peer remembers; it may run and write beside this. */
    journal: createJournal(db, systemClock),
    /** A word of its own for each call that is meant to be sent. */
    id: (): string => randomUUID(),
    /** @throws {CallRefusedError} if it is in no block. */
    async send(intent: OutboxIntent) {
      const outcome = await sender.send(intent)
      if (outcome.status === 'mined') return outcome
      throw refusedCall(outcome, lock === null)
    },
    async close(): Promise<void> {
      ended.abort()
      await sender.done.catch(() => {})
      release()
    },
  }
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

/** What is said of a call that is in no block. */
export function refusedCall(outcome: Exclude<TxOutcome, { status: 'mined' }>, throughPeer: boolean): CallRefusedError {
  if (outcome.status === 'reverted')
    return new CallRefusedError(`The chain would not take it: ${outcome.error}.`, {
      hint: 'Nothing was changed. The error names what the contract found.',
    })
  if (outcome.status === 'dropped')
    return new CallRefusedError(`It was not sent: ${outcome.reason}.`, {
      hint: 'Ask again in the round that it is for.',
    })
  return new CallRefusedError(throughPeer ? 'The peer has not sent it yet.' : 'The command was ended first.', {
    hint: 'It is kept, and resumed by the next start. npx waggle status shows whether the peer runs.',
    retryable: true,
  })
}
