import { existsSync } from 'node:fs'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { NetworkConnection } from 'hardhat/types/network'
import { type ContractName, contractNames } from '../../deployments/contractNames.ts'
import { type Deployment, DeploymentRecordError, readDeployment } from '../../deployments/record.ts'
import { compiledArtifacts, releaseArtifacts } from './artifacts.ts'
import { prebuiltArtifacts } from './bytecode.ts'
import { type ChainReader, chainReader } from './chain.ts'
import { DeployError } from './deployError.ts'
import { type CreatedContract, dropTornLine, type JournalState, readJournal } from './journal.ts'
import { lockJournal } from './lockJournal.ts'
import { NETWORKS, type NetworkPreset } from './networks.ts'
import { type DeployParameters, readParameters, writeAtomically, writeParameters } from './parameters.ts'
import { otherChainHint, type Places } from './places.ts'
import { requireAccount, requireChain, requireFunds, requireLiving, requireSameParameters } from './preflight.ts'
import { callsOf } from './protocolModule.ts'
import { requireRelease } from './requireRelease.ts'
import { type KeptParameters, keptParameters, type RequestedParameters, requireStartAhead } from './roundZero.ts'
import { runIgnition } from './runIgnition.ts'
import { settleJournal } from './settleJournal.ts'
import { watchBlocks } from './watchBlocks.ts'

/** If the record exists, nothing is left to do. */
export interface DeployOptions extends Places {
  readonly requested: RequestedParameters
  /** Take the bytecode in deployments/, and compile only if the sources are others. */
  readonly isPrebuilt?: boolean
  /** Takes the lines that tell the progress. */
  readonly say: (line: string) => void
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
    return await deployLocked({ hre, connection, chain, preset, options })
  } finally {
    release()
  }
}

interface Run {
  readonly hre: HardhatRuntimeEnvironment
  readonly connection: NetworkConnection
  readonly chain: ChainReader
  readonly preset: NetworkPreset
  readonly options: DeployOptions
}

/** Deploys while holding the journal's lock. */
async function deployLocked(run: Run): Promise<DeployOutcome> {
  const { hre, connection, chain, preset, options } = run
  const { journalDir, recordFile, say } = options
  // First: what another release left need not fit the record's form.
  const stored = await readParameters(options)
  await dropTornLine(journalDir)
  const left = await readJournal(journalDir)
  const isFinished = stored !== undefined && hasEveryStep(left, stored)
  const record = readRecord(recordFile, preset, isFinished)
  const known = [record?.contracts, left.created].flatMap(contractsIn)
  const living = await requireLiving(chain, stored, known, otherChainHint(options, preset))
  if (living.length > 0) await requireRelease(chain, await releaseArtifacts(hre, say), living, options)
  if (record || isFinished) {
    await requireSameParameters(connection, stored, record, options)
    return { deployment: record ?? (await writeRecord(run, left)), sent: 0 }
  }
  const account = await requireAccount(chain, left.sender)
  const fromBlock = stored?.fromBlock ?? 0
  const settling = settleJournal({ connection, chain, preset, journalDir, journal: left, account, fromBlock })
  const journal = await watchBlocks({ chain, preset, say }, settling)
  const kept = await keptFor(run, journal, stored)
  await requireSameParameters(connection, kept, undefined, options)
  await requireFunds(chain, connection.networkName, account, journal.created)
  const finished = await finish(run, account, kept)
  return { deployment: await writeRecord(run, finished), sent: finished.sent - journal.sent }
}

async function writeRecord({ connection, preset, options }: Run, journal: JournalState): Promise<Deployment> {
  if (!hasEveryContract(journal))
    throw new DeployError('DEPLOYMENT_FAILED', 'the journal lacks a contract', 'run it again')
  const deployment = { network: connection.networkName, chainId: preset.chainId, contracts: journal.created }
  await writeAtomically(options.recordFile, deployment)
  return deployment
}

/** The parameters that an unfinished deployment keeps of its first run. */
async function keptFor(
  { chain, preset, options: { journalDir, requested } }: Run,
  journal: JournalState,
  stored: DeployParameters | undefined,
): Promise<KeptParameters | undefined> {
  const { timestamp: nowSec } = await chain.block('latest')
  const kept = stored && (await keptParameters(stored, journal, { nowSec, journalDir }))
  const { startsAtSec } = requested
  if (startsAtSec !== undefined && kept?.startsAtSec === undefined) {
    const { roundSeconds } = { ...preset, ...kept, ...requested }
    requireStartAhead({ startsAtSec, roundSeconds }, nowSec)
  }
  return kept
}

async function finish(
  { hre, connection, chain, preset, options }: Run,
  account: `0x${string}`,
  kept: KeptParameters | undefined,
): Promise<JournalState> {
  const { journalDir, requested, isPrebuilt = false, say } = options
  const artifacts = (isPrebuilt && (await prebuiltArtifacts(hre.config))) || (await compiledArtifacts(hre, say))
  const parameters = await chooseParameters(chain, preset, { ...kept, ...requested })
  await writeParameters(journalDir, parameters)
  await runIgnition({ artifacts, connection, chain, preset, journalDir, account, parameters, say })
  return readJournal(journalDir)
}

async function chooseParameters(
  chain: ChainReader,
  preset: NetworkPreset,
  chosen: Partial<DeployParameters>,
): Promise<DeployParameters> {
  const [genesis, latest] = await Promise.all([chain.block('0x0'), chain.block('latest')])
  return {
    genesisHash: genesis.hash,
    fromBlock: latest.number,
    // With a manual schedule the first round begins at once.
    startsAtSec: latest.timestamp + (chosen.roundSeconds === 0 ? 0 : preset.startsInSeconds),
    roundSeconds: preset.roundSeconds,
    bootstrapRounds: preset.bootstrapRounds,
    environmentHash: chosen.environmentHash ?? (await starterRules()),
    ...chosen,
  }
}

/** The rules that every node plays without being given a specification. Their code takes a second to load. */
async function starterRules(): Promise<string> {
  const { loadEnvironments } = await import('../../node/src/environments/builtIn.ts')
  return (await loadEnvironments()).starter.hash
}

function contractsIn(created: JournalState['created'] = {}): [ContractName, CreatedContract][] {
  return contractNames.flatMap(name => (created[name] ? [[name, created[name]]] : []))
}

function hasEveryStep(journal: JournalState, parameters: DeployParameters): boolean {
  return hasEveryContract(journal) && callsOf(parameters).every(id => journal.confirmed.has(`Protocol#${id}`))
}

function hasEveryContract(journal: JournalState): journal is JournalState & { created: Deployment['contracts'] } {
  return contractNames.every(name => journal.created[name])
}

/** @param isFinished - whether the journal has all of the deployment: without it, a run without the record deploys a second protocol. */
function readRecord(file: string, preset: NetworkPreset, isFinished: boolean): Deployment | undefined {
  if (!existsSync(file)) return undefined
  try {
    const record = readDeployment(file)
    if (record.chainId === preset.chainId) return record
    throw new DeployError('RECORD_CORRUPT', `${file} is of chain ${record.chainId}`, 'name another --record')
  } catch (cause) {
    if (!(cause instanceof DeploymentRecordError)) throw cause
    const isReplaceable = isFinished && cause.code === 'DEPLOYMENT_CORRUPT'
    const hint = isReplaceable
      ? 'delete it and run again: nothing is sent, and the journal has the addresses'
      : cause.hint
    throw new DeployError('RECORD_CORRUPT', cause.message, hint, cause)
  }
}
