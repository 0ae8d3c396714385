import { errorDeploymentResultToExceptionMessage } from '@nomicfoundation/hardhat-ignition/helpers'
import { type ArtifactResolver, DeploymentResultType, deploy, trackTransaction } from '@nomicfoundation/ignition-core'
import type { NetworkConnection } from 'hardhat/types/network'
import type { ChainReader } from './chain.ts'
import { DeployError } from './deployError.ts'
import { confirmSent, forgetPrepared, type JournalState, readJournal } from './journal.ts'
import type { NetworkPreset } from './networks.ts'
import type { DeployParameters } from './parameters.ts'
import { protocolModule } from './protocolModule.ts'

interface IgnitionRun {
  /** ABI and bytecode of each contract, by name. */
  readonly artifacts: ArtifactResolver
  readonly connection: NetworkConnection
  readonly chain: ChainReader
  readonly preset: NetworkPreset
  readonly journalDir: string
  readonly journal: JournalState
  readonly account: `0x${string}`
  readonly parameters: DeployParameters
}

/**
 * Lets Ignition send what its journal says is not sent yet, and wait until all of it is mined.
 *
 * @throws {DeployError} DEPLOYMENT_FAILED with Ignition's own reason.
 */
export async function runIgnition(run: IgnitionRun): Promise<void> {
  const { artifacts, connection, preset, journalDir, account, parameters } = run
  await closeUnrecorded(run)
  const result = await deploy({
    config: { requiredConfirmations: preset.confirmations, blockPollingInterval: preset.blockPollingMs },
    provider: connection.provider,
    deploymentDir: journalDir,
    artifactResolver: artifacts,
    ignitionModule: protocolModule(parameters, preset),
    deploymentParameters: {},
    accounts: [account],
    defaultSender: account,
  }).catch(cause => {
    throw failure(cause instanceof Error ? cause.message : String(cause), journalDir, cause)
  })
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    throw failure(errorDeploymentResultToExceptionMessage(result), journalDir)
  }
}

/**
 * Resolves the transaction that a killed run was about to send. If the chain has it, its hash is written to the journal; otherwise its
 * entry is dropped. Ignition itself would ask the operator for the hash, even if it was never sent.
 */
async function closeUnrecorded({ connection, chain, journalDir, journal, account, parameters, preset }: IgnitionRun) {
  for (const prepared of journal.unrecorded) {
    const hash = await chain.findTransaction(account, prepared.nonce, parameters.fromBlock)
    if (hash) await trackTransaction(journalDir, hash, connection.provider, preset.confirmations)
    else await forgetPrepared(journalDir, prepared)
  }
  // Ignition refuses to start while anything of the account's is unconfirmed, which a rerun soon after a kill would meet.
  await chain.untilConfirmed(account, preset.confirmations, preset.blockPollingMs)
  await recordReceipts(chain, journalDir)
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

function failure(reason: string, journalDir: string, cause?: unknown): DeployError {
  const hint = `run it again once that is fixed: contracts that ${journalDir} records are not deployed again`
  return new DeployError('DEPLOYMENT_FAILED', reason.replaceAll(/\s*\n\s*/g, ' ').trim(), hint, cause)
}
