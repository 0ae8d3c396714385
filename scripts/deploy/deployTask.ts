import path from 'node:path'
import { HardhatError } from '@nomicfoundation/hardhat-errors'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { deploymentPath } from '../../deployments/record.ts'
import { DeployError } from './deployError.ts'
import { type DeployOptions, type DeployOutcome, deployProtocol } from './deployProtocol.ts'
import { NETWORKS } from './networks.ts'
import { type RequestedParameters, readRoundZero, roundZeroLines } from './roundZero.ts'

/** As the command line gives them: an option that was not given is an empty string. */
export interface DeployArguments {
  data: string
  record: string
  roundSeconds: string
  startsAt: string
  bootstrapRounds: string
  environment: string
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
    console.log(args.json ? json(outcome, options) : [summary(outcome, options), ...roundZeroLines(zero)].join('\n'))
  } catch (error) {
    const known = error instanceof DeployError ? error : undefined
    if (!known && !HardhatError.isHardhatError(error)) throw error
    const message = (error as Error).message.replaceAll(/\s*\n\s*/g, ' ').trim()
    console.error(`deploy: ${message}${known ? `: ${known.hint} (${known.code})` : ''}`)
    process.exitCode = 1
  }
}

async function deployTo(hre: HardhatRuntimeEnvironment, network: string, options: DeployOptions) {
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
  if (!NETWORKS[network]) {
    const hint = `use one of ${Object.keys(NETWORKS).join(', ')}`
    throw new DeployError('UNKNOWN_NETWORK', `there is no network "${network}"`, hint)
  }
  const requested: RequestedParameters = {}
  if (args.roundSeconds !== '') requested.roundSeconds = integer('--round-seconds', args.roundSeconds, 0, MAX_UINT32)
  if (args.startsAt !== '') requested.startsAtSec = integer('--starts-at', args.startsAt, 0, MAX_UINT40)
  if (args.bootstrapRounds !== '') {
    requested.bootstrapRounds = integer('--bootstrap-rounds', args.bootstrapRounds, 0, MAX_UINT32)
  }
  if (args.environment !== '') {
    if (!/^0x[0-9a-fA-F]{64}$/.test(args.environment) || BigInt(args.environment) === 0n) {
      throw new DeployError(
        'BAD_OPTION',
        `--environment ${args.environment} is not a hash`,
        'give 0x and 64 hex digits',
      )
    }
    requested.environmentHash = args.environment.toLowerCase()
  }
  const inData = args.data !== '' || network === 'local'
  const data = args.data === '' ? '.waggle' : args.data
  return {
    journalDir: inData ? path.resolve(data, 'ignition') : path.join(root, 'ignition', 'deployments', network),
    recordFile: args.record === '' ? deploymentPath(network, data) : path.resolve(args.record),
    requested,
    isPrebuilt: args.prebuilt,
  }
}

function integer(option: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new DeployError('BAD_OPTION', `${option} ${text} is out of range`, `give a whole number from ${min} to ${max}`)
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
