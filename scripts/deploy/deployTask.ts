import path from 'node:path'
import { HardhatError } from '@nomicfoundation/hardhat-errors'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { LEAST_BLOCKS_IN_ROUND } from '../../deployments/protocol.ts'
import { deploymentPath } from '../../deployments/record.ts'
import { DeployError } from './deployError.ts'
import { type DeployOptions, type DeployOutcome, deployProtocol } from './deployProtocol.ts'
import { NETWORKS, type NetworkPreset } from './networks.ts'
import { requireKey } from './requireKey.ts'
import { type RequestedParameters, readRoundZero, roundZeroLines } from './roundZero.ts'

/** As the command line gives them. */
export interface DeployArguments {
  data?: string | undefined
  record?: string | undefined
  roundSeconds?: string | undefined
  startsAt?: string | undefined
  bootstrapRounds?: string | undefined
  environment?: string | undefined
  prebuilt: boolean
  json: boolean
}

const MAX_UINT32 = 2 ** 32 - 1
const MAX_UINT40 = 2 ** 40 - 1

/** `hardhat deploy`: asks nothing, ends with one clear line and exit code 1 if it cannot deploy. */
export default async function deployTask(args: DeployArguments, hre: HardhatRuntimeEnvironment): Promise<void> {
  const network = hre.globalOptions.network ?? 'local'
  try {
    const options = readOptions(network, args, hre.config.paths.root)
    const { outcome, zero } = await deployTo(hre, network, options)
    console.log(
      args.json
        ? json(outcome, options)
        : [summary(outcome, options), ...roundZeroLines(zero, presetOf(network))].join('\n'),
    )
  } catch (error) {
    const known = error instanceof DeployError ? error : undefined
    if (!known && !HardhatError.isHardhatError(error)) throw error
    const message = (error as Error).message.replaceAll(/\s*\n\s*/g, ' ').trim()
    console.error(`deploy: ${message}${known ? `: ${known.hint} (${known.code})` : ''}`)
    process.exitCode = 1
  }
}

async function deployTo(hre: HardhatRuntimeEnvironment, network: string, options: DeployOptions) {
  await requireKey(hre.config.networks[network])
  const connection = await hre.network.create({ network })
  try {
    const outcome = await deployProtocol(hre, connection, options)
    return { outcome, zero: await readRoundZero(connection, outcome.deployment) }
  } finally {
    await connection.close()
  }
}

/** Reads the options; each that is wrong is named with what it should be. */
export function readOptions(network: string, args: DeployArguments, root: string): DeployOptions {
  const { blockSeconds } = presetOf(network)
  const { data = '.waggle', record, prebuilt } = args
  for (const [option, value] of Object.entries({ data, record })) {
    if (value === '') throw new DeployError('BAD_OPTION', `--${option} is empty`, 'name a path, or leave it out')
  }
  const inData = args.data !== undefined || network === 'local'
  return {
    journalDir: inData ? path.resolve(data, 'ignition') : path.join(root, 'ignition', 'deployments', network),
    recordFile: record === undefined ? deploymentPath(network, data) : path.resolve(record),
    requested: readRequested(network === 'local' ? 0 : LEAST_BLOCKS_IN_ROUND * blockSeconds, args),
    isPrebuilt: prebuilt,
    say: line => console.log(line),
  }
}

function presetOf(network: string): NetworkPreset {
  const preset = NETWORKS[network]
  if (preset) return preset
  const hint = `use one of ${Object.keys(NETWORKS).join(', ')}`
  throw new DeployError('UNKNOWN_NETWORK', `there is no network "${network}"`, hint)
}

function readRequested(leastSeconds: number, args: DeployArguments): RequestedParameters {
  const { roundSeconds, startsAt, bootstrapRounds, environment } = args
  const requested: RequestedParameters = {}
  if (roundSeconds !== undefined) {
    const least = roundSeconds === '0' ? 0 : leastSeconds
    requested.roundSeconds = integer('--round-seconds', roundSeconds, least, MAX_UINT32)
  }
  if (startsAt !== undefined) requested.startsAtSec = integer('--starts-at', startsAt, 0, MAX_UINT40)
  if (bootstrapRounds !== undefined)
    requested.bootstrapRounds = integer('--bootstrap-rounds', bootstrapRounds, 0, MAX_UINT32)
  if (environment !== undefined) requested.environmentHash = hash('--environment', environment)
  return requested
}

function hash(option: string, text: string): string {
  if (/^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) !== 0n) return text.toLowerCase()
  throw new DeployError('BAD_OPTION', `${option} "${text}" is not a hash`, 'give 0x and 64 hex digits')
}

function integer(option: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new DeployError(
    'BAD_OPTION',
    `${option} "${text}" is out of range`,
    `give a whole number from ${min} to ${max}`,
  )
}

function json({ deployment, sent }: DeployOutcome, { recordFile }: DeployOptions): string {
  return JSON.stringify({ record: recordFile, sent, ...deployment })
}

function summary({ deployment, sent }: DeployOutcome, { recordFile }: DeployOptions): string {
  const { network, chainId, contracts } = deployment
  const lines = Object.entries(contracts).map(
    ([name, { address, startBlock }]) => `  ${name.padEnd(20)}${address}  block ${startBlock}`,
  )
  const done = sent === 0 ? 'nothing to send' : `sent ${sent} transactions`
  return [`${network} (chain ${chainId}): ${done}`, ...lines, `  record              ${recordFile}`].join('\n')
}
