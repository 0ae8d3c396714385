import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type KnownNetwork, knownNetworks } from '@waggle/deployments/networks'
import { type Deployment, DeploymentRecordError, deploymentPath, readDeployment } from '@waggle/deployments/record'
import { isNamed } from '#base/readSmallFile.ts'
import { type FeeSettings, feeSettings } from '#chain/outbox/feeSettings.ts'
import { systemClock } from '#core/clock.ts'
import { createPatience, type Patience } from '#core/patience.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { environment } from '../environment.ts'
import { UsageError } from '../usageError.ts'
import type { Config } from './config.ts'
import { pickSettings } from './settingOptions.ts'

const known: Readonly<Record<string, KnownNetwork>> = knownNetworks

type OpenedDeployment = { deployment: Deployment; rpcUrl: string; patience: Patience }

/** For commands that end by themselves. */
const patienceOfCommand = () =>
  createPatience(environment.patienceSec() * 1000, systemClock, line => console.error(line))

/**
 * The deployment of a command.
 *
 * @throws {UsageError} if the network is not known, has no deployment yet, or its record is damaged.
 */
export function openDeployment(config: Config): OpenedDeployment {
  const deployment = readRecord(config)
  const { network } = deployment
  const rpcUrl = config.rpc ?? environment.rpcUrl(network) ?? known[network]?.defaultUrl
  if (rpcUrl !== undefined) return { deployment, rpcUrl, patience: patienceOfCommand() }
  throw new UsageError(`No RPC endpoint for the network '${network}' is known.`, {
    hint: 'Name one with --rpc or WAGGLE_RPC_URL.',
  })
}

/** The deployment of a command that an owner's key signs, with the bounds of what it pays for gas. */
export const openOwned = (config: Config): OpenedDeployment & { fees: FeeSettings } => ({
  ...openDeployment(config),
  fees: pickSettings(config, feeSettings),
})

function readRecord(config: Config): Deployment {
  const { network = 'local', data } = config
  // An explicit network takes precedence over environment variables.
  const named = config.deployment ?? (config.network === undefined ? environment.deployment() : undefined)
  const path = named ?? recordPath(network, data)
  if (!isNamed(path)) throw missing(network, path, named !== undefined)
  const deployment = parseRecord(path)
  if (config.network === undefined || config.network === deployment.network) return deployment
  throw new UsageError(`The record ${path} is of the network '${deployment.network}', not '${config.network}'.`, {
    hint: `Correct one: --network or --deployment, or network: or deployment: in ${join(data, SETTINGS_FILE)}.`,
  })
}

function parseRecord(path: string): Deployment {
  try {
    return readDeployment(path)
  } catch (cause) {
    if (!(cause instanceof DeploymentRecordError)) throw cause
    throw new UsageError(`${sentence(cause.message)}.`, { hint: `${sentence(cause.hint)}.`, cause })
  }
}

/** Errors of the packages below begin in lower case. A path stays as it is. */
const sentence = (text: string) => (/^[a-z]+ /.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text)

/** `npm run swarm` puts a local record above the peers' folders; `hardhat deploy` puts it elsewhere. */
function recordPath(network: string, data: string): string {
  const above = [dirname(data), dirname(dirname(data))].map(folder => join(folder, 'deployment.json'))
  const found = network === 'local' ? above.find(existsSync) : undefined
  return found ?? deploymentPath(network)
}

function missing(network: string, path: string, isNamed: boolean): UsageError {
  if (isNamed)
    return new UsageError(`There is no deployment's record at ${path}.`, {
      hint: 'Copy the record there, or correct --deployment (or deployment: in waggle.yaml, or WAGGLE_DEPLOYMENT). A swarm on this machine writes it once npm run swarm is ready.',
    })
  if (!Object.hasOwn(known, network))
    return new UsageError(`There is no network '${network}'.`, {
      hint: `Use one of ${Object.keys(known).join(', ')}, or name a record with --deployment.`,
    })
  return new UsageError(`Waggle is not deployed on the network '${network}': ${path} does not exist.`, {
    hint: `${network === 'local' ? 'Start a swarm on this machine (npm run swarm), deploy' : 'Deploy'} first (npx hardhat deploy --network ${network}), or name a record with --deployment.`,
  })
}
