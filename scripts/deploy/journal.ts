import { appendFile, readFile, truncate } from 'node:fs/promises'
import path from 'node:path'
import { type ContractName, contractNames } from '../../deployments/contractNames.ts'
import { DeployError } from './deployError.ts'

/** A contract that the journal says exists. */
export interface CreatedContract {
  readonly address: `0x${string}`
  readonly startBlock: number
}

/** Ignition's entry for a transaction that was not sent: it chooses a new nonce and sends again. */
const FORGET = 'ONCHAIN_INTERACTION_REPLACED_BY_USER'

/** Ignition's entry for a step that begins afresh. */
const WIPE = 'WIPE_APPLY'

/** State of the protocol's deployment by an Ignition journal. */
export interface JournalState {
  readonly created: Partial<Record<ContractName, CreatedContract>>
  /** Ids of all steps that succeeded, calls included. */
  readonly confirmed: ReadonlySet<string>
  /** The account that deploys. */
  readonly sender: string | undefined
  /** Ids of the contracts that Ignition has begun to deploy. It accepts no other arguments for them. */
  readonly begun: ReadonlySet<string>
  /** Transactions about to be sent when the run was killed: the journal does not say whether they were. */
  readonly unrecorded: readonly PreparedTransaction[]
  /** Transactions whose sending was written. */
  readonly sent: number
  /** Those of them whose receipt was not. */
  readonly open: readonly OpenTransaction[]
  /** Whether there is a journal at all. */
  readonly exists: boolean
}

/** A transaction that Ignition chose a nonce for. */
interface PreparedTransaction {
  readonly futureId: string
  readonly networkInteractionId: number
  readonly nonce: number
}

/** A transaction that was sent; replacements of it by higher fees have hashes of their own, and one of them is mined. */
export interface OpenTransaction {
  readonly futureId: string
  readonly networkInteractionId: number
  readonly hashes: readonly string[]
}

/** A receipt as the journal keeps it. */
export interface JournalReceipt {
  readonly blockHash: string
  readonly blockNumber: number
  readonly contractAddress?: string
  readonly logs: readonly { address: string; data: string; logIndex: number; topics: readonly string[] }[]
  readonly status: 'SUCCESS' | 'FAILURE'
}

interface JournalLine extends Partial<PreparedTransaction> {
  readonly type: string
  readonly from?: string
  readonly transaction?: { readonly hash?: string }
  readonly receipt?: {
    readonly status?: string
    readonly contractAddress?: `0x${string}`
    readonly blockNumber: number
  }
}

/**
 * Reads `journal.jsonl` of an Ignition deployment.
 *
 * @param dir - the deployment's folder; none is an empty journal.
 * @throws {DeployError} JOURNAL_CORRUPT if it cannot be read, or a line is not JSON: Ignition itself would only show a parser's stack.
 */
export async function readJournal(dir: string): Promise<JournalState> {
  const file = path.join(dir, 'journal.jsonl')
  const text = (await readWhole(file))?.toString('utf8')
  const created: Partial<Record<ContractName, CreatedContract>> = {}
  const confirmed = new Set<string>()
  const begun = new Set<string>()
  const prepared = new Map<string, PreparedTransaction>()
  const open = new Map<string, OpenTransaction>()
  let sent = 0
  let sender: string | undefined
  for (const [index, line] of (text ?? '').split('\n').entries()) {
    if (line.trim() === '') continue
    const entry = parseLine(line, file, index + 1)
    const { futureId = '', networkInteractionId = 0, nonce = 0 } = entry
    const interaction = `${futureId} ${networkInteractionId}`
    if (entry.type === 'DEPLOYMENT_EXECUTION_STATE_INITIALIZE') {
      begun.add(futureId)
      sender = entry.from
    } else if (entry.type === WIPE) {
      begun.delete(futureId)
    } else if (entry.type === 'TRANSACTION_PREPARE_SEND') {
      prepared.set(interaction, { futureId, networkInteractionId, nonce })
    } else if (entry.type === 'TRANSACTION_SEND') {
      prepared.delete(interaction)
      sent++
      const hashes = [...(open.get(interaction)?.hashes ?? []), entry.transaction?.hash ?? '']
      open.set(interaction, { futureId, networkInteractionId, hashes })
    } else if (entry.type === FORGET) {
      prepared.delete(interaction)
      open.delete(interaction)
    } else if (entry.type === 'TRANSACTION_CONFIRM') {
      open.delete(interaction)
      if (entry.receipt?.status === 'SUCCESS') confirmed.add(futureId)
      const name = contractNames.find(contract => futureId === `Protocol#${contract}`)
      const address = entry.receipt?.status === 'SUCCESS' ? entry.receipt.contractAddress : undefined
      if (name && address) created[name] = { address, startBlock: entry.receipt?.blockNumber ?? 0 }
    }
  }
  const exists = text !== undefined
  return {
    created,
    confirmed,
    sender,
    begun,
    unrecorded: [...prepared.values()],
    sent,
    open: [...open.values()],
    exists,
  }
}

/**
 * Removes a last line that a kill left incomplete. Nothing is lost: Ignition writes an action before it performs it, and queries results
 * again.
 */
export async function dropTornLine(dir: string): Promise<void> {
  const file = path.join(dir, 'journal.jsonl')
  const bytes = await readWhole(file)
  if (bytes === undefined) return
  const lastBreak = bytes.lastIndexOf('\n')
  if (!isLine(bytes.toString('utf8', lastBreak + 1))) await truncate(file, Math.max(lastBreak, 0))
}

/** @returns empty if there is no file; an unreadable file throws, so that it does not look like a new deployment. */
function readWhole(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new DeployError(
      'JOURNAL_CORRUPT',
      `${file} cannot be read: ${cause.code}`,
      'make it readable, and run again',
      cause,
    )
  })
}

function isLine(text: string): boolean {
  try {
    return text.trim() === '' || Boolean(JSON.parse(text))
  } catch {
    return false
  }
}

/** Writes into the journal that a prepared transaction was never sent, in the form in which Ignition writes its lines. */
export async function forgetPrepared(dir: string, { futureId, networkInteractionId }: PreparedTransaction) {
  const line = JSON.stringify({ futureId, networkInteractionId, type: FORGET })
  await appendFile(path.join(dir, 'journal.jsonl'), `\n${line}`)
}

/** Writes into the journal that a step for which nothing was sent begins afresh, in the form in which Ignition writes its lines. */
export async function wipeStep(dir: string, futureId: string) {
  await appendFile(path.join(dir, 'journal.jsonl'), `\n${JSON.stringify({ futureId, type: WIPE })}`)
}

/** Writes the receipt of a transaction that was sent, in the form in which Ignition writes its lines. */
export async function confirmSent(
  dir: string,
  { futureId, networkInteractionId }: OpenTransaction,
  hash: string,
  receipt: JournalReceipt,
) {
  const line = JSON.stringify({ futureId, hash, networkInteractionId, receipt, type: 'TRANSACTION_CONFIRM' })
  await appendFile(path.join(dir, 'journal.jsonl'), `\n${line}`)
}

function parseLine(line: string, file: string, number: number): JournalLine {
  try {
    return JSON.parse(line)
  } catch (cause) {
    const hint = `restore it, or delete ${path.dirname(file)}: a finished deployment is known by its record too`
    throw new DeployError('JOURNAL_CORRUPT', `line ${number} of ${file} is damaged`, hint, cause)
  }
}
