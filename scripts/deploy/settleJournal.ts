import { trackTransaction } from '@nomicfoundation/ignition-core'
import type { NetworkConnection } from 'hardhat/types/network'
import type { ChainReader } from './chain.ts'
import { confirmSent, forgetPrepared, type JournalState, readJournal } from './journal.ts'
import type { NetworkPreset } from './networks.ts'

interface Unsettled {
  readonly connection: NetworkConnection
  readonly chain: ChainReader
  readonly preset: NetworkPreset
  readonly journalDir: string
  readonly journal: JournalState
  readonly account: `0x${string}`
  /** Block at or before which the first run began. */
  readonly fromBlock: number
}

/**
 * Resolves the transactions that a killed run left open. If the chain has one that it was about to send, its hash is written to the journal;
 * otherwise its entry is dropped. Ignition itself would ask the operator for the hash, even if it was never sent.
 *
 * @returns the journal as it is then.
 */
export async function settleJournal(left: Unsettled): Promise<JournalState> {
  const { connection, chain, preset, journalDir, journal, account, fromBlock } = left
  for (const prepared of journal.unrecorded) {
    const hash = await chain.findTransaction(account, prepared.nonce, fromBlock)
    if (hash) await trackTransaction(journalDir, hash, connection.provider, preset.confirmations)
    else await forgetPrepared(journalDir, prepared)
  }
  // Ignition refuses to start while anything of the account's is unconfirmed, which a rerun soon after a kill would meet.
  await chain.untilConfirmed(account, preset.confirmations, preset.blockPollingMs)
  await recordReceipts(chain, journalDir)
  return readJournal(journalDir)
}

/**
 * Writes the receipts of transactions that were mined after the kill. Ignition expects the nonce that follows those of its open transactions, and
 * refuses to resume where others of the same batch, with higher nonces, are done already (HHE10411).
 */
async function recordReceipts(chain: ChainReader, journalDir: string): Promise<void> {
  const { open } = await readJournal(journalDir)
  for (const transaction of open) {
    for (const hash of transaction.hashes) {
      const receipt = await chain.receipt(hash)
      if (receipt !== undefined) await confirmSent(journalDir, transaction, hash, receipt)
    }
  }
}
