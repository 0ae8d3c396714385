import { existsSync } from 'node:fs'
import { HardhatArtifactResolver } from '@nomicfoundation/hardhat-ignition/helpers'
import type { ArtifactResolver } from '@nomicfoundation/ignition-core'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { NetworkConnection } from 'hardhat/types/network'
import { contractNames } from '../../deployments/contractNames.ts'
import { type Deployment, DeploymentRecordError, readDeployment } from '../../deployments/record.ts'
import { prebuiltArtifacts } from './bytecode.ts'
import { type ChainReader, chainReader } from './chain.ts'
import { DeployError } from './deployError.ts'
import { dropTornLine, type JournalState, readJournal } from './journal.ts'
import { lockJournal } from './lockJournal.ts'
import { NETWORKS, type NetworkPreset } from './networks.ts'
import { type DeployParameters, readParameters, writeAtomically, writeParameters } from './parameters.ts'
import {
  type RequestedParameters,
  requireChain,
  requireFundedAccount,
  requireLiving,
  requireSameParameters,
} from './preflight.ts'
import { callsOf } from './protocolModule.ts'
import { runIgnition } from './runIgnition.ts'

export interface DeployOptions {
  /** Folder of the Ignition journal. */
  readonly journalDir: string
  /** Path of the deployment's record, written at the end: if it exists, nothing is left to do. */
  readonly recordFile: string
  readonly requested: RequestedParameters
  /** Take the bytecode in deployments/, and compile only if the sources are others. */
  readonly isPrebuilt?: boolean
}

export interface DeployOutcome {
  readonly deployment: Deployment
  /** Transactions sent by this run; 0 if the deployment was complete. */
  readonly sent: number
}

/**
 * Deploys the protocol, or finishes what an earlier run began, or finds that nothing is left to do.
 *
 * @param connection - to a network of `presets`.
 * @throws {DeployError} before anything is sent, if chain, key, funds, journal, record, parameters or another run do not allow it.
 */
export async function deployProtocol(
  hre: HardhatRuntimeEnvironment,
  connection: NetworkConnection,
  options: DeployOptions,
  presets: Readonly<Record<string, NetworkPreset>> = NETWORKS,
): Promise<DeployOutcome> {
  const { networkName: network } = connection
  const preset = presets[network]
  if (!preset) throw new DeployError('UNKNOWN_NETWORK', `no preset for network ${network}`, 'add it to networks.ts')
  const chain = chainReader(connection.provider)
  await requireChain(chain, network, preset)
  const release = lockJournal(options.journalDir)
  try {
    return await deployLocked(hre, connection, chain, preset, options)
  } finally {
    release()
  }
}

/** Deploys while holding the journal's lock. */
async function deployLocked(
  hre: HardhatRuntimeEnvironment,
  connection: NetworkConnection,
  chain: ChainReader,
  preset: NetworkPreset,
  options: DeployOptions,
): Promise<DeployOutcome> {
  const { journalDir, recordFile, requested } = options
  // First: what another release left need not fit the record's form.
  const stored = await readParameters(journalDir)
  const record = readRecord(recordFile, preset)
  await dropTornLine(journalDir)
  const journal = await readJournal(journalDir)
  const known = [...Object.entries(record?.contracts ?? {}), ...Object.entries(journal.created)]
  await requireLiving(chain, stored, known, options)
  await requireSameParameters(connection, stored, record, requested)
  if (record) return { deployment: record, sent: 0 }

  const finished =
    stored && isFinished(journal, stored)
      ? journal
      : await finish(hre, connection, chain, preset, journal, stored, options)
  if (!hasEveryContract(finished))
    throw new DeployError('DEPLOYMENT_FAILED', 'the journal lacks a contract', 'run it again')
  const deployment = { network: connection.networkName, chainId: preset.chainId, contracts: finished.created }
  await writeAtomically(recordFile, deployment)
  return { deployment, sent: finished.sent - journal.sent }
}

async function finish(
  hre: HardhatRuntimeEnvironment,
  connection: NetworkConnection,
  chain: ChainReader,
  preset: NetworkPreset,
  journal: JournalState,
  stored: DeployParameters | undefined,
  { journalDir, requested, isPrebuilt = false }: DeployOptions,
): Promise<JournalState> {
  const account = await requireFundedAccount(chain, connection.networkName, journal.created)
  const artifacts = (isPrebuilt && (await prebuiltArtifacts(hre.config))) || (await compiledArtifacts(hre))
  const parameters = stored ?? (await chooseParameters(chain, preset, requested))
  if (!stored) await writeParameters(journalDir, parameters)
  await runIgnition({ artifacts, connection, chain, preset, journalDir, journal, account, parameters })
  return readJournal(journalDir)
}

async function compiledArtifacts(hre: HardhatRuntimeEnvironment): Promise<ArtifactResolver> {
  console.log('Compiling the contracts, which takes about a minute unless nothing changed …')
  await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  return new HardhatArtifactResolver(hre.artifacts)
}

async function chooseParameters(
  chain: ChainReader,
  preset: NetworkPreset,
  requested: RequestedParameters,
): Promise<DeployParameters> {
  const [genesis, latest] = await Promise.all([chain.block('0x0'), chain.block('latest')])
  return {
    genesisHash: genesis.hash,
    fromBlock: latest.number,
    // With a manual schedule the first round begins at once.
    startsAtSec: latest.timestamp + (requested.roundSeconds === 0 ? 0 : preset.startsInSeconds),
    roundSeconds: preset.roundSeconds,
    bootstrapRounds: preset.bootstrapRounds,
    environmentHash: requested.environmentHash ?? (await starterRules()),
    ...requested,
  }
}

/** The rules that every node plays without being given a specification. Their code takes a second to load. */
async function starterRules(): Promise<string> {
  const { loadEnvironments } = await import('../../node/src/environments/builtIn.ts')
  return (await loadEnvironments()).starter.hash
}

function isFinished(journal: JournalState, parameters: DeployParameters): boolean {
  return hasEveryContract(journal) && callsOf(parameters).every(id => journal.confirmed.has(`Protocol#${id}`))
}

function hasEveryContract(journal: JournalState): journal is JournalState & { created: Deployment['contracts'] } {
  return contractNames.every(name => journal.created[name])
}

function readRecord(file: string, preset: NetworkPreset): Deployment | undefined {
  if (!existsSync(file)) return undefined
  try {
    const record = readDeployment(file)
    if (record.chainId === preset.chainId) return record
    throw new DeployError('RECORD_CORRUPT', `${file} is of chain ${record.chainId}`, 'name another --data or --record')
  } catch (cause) {
    if (!(cause instanceof DeploymentRecordError)) throw cause
    throw new DeployError('RECORD_CORRUPT', cause.message, cause.hint, cause)
  }
}
