import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import hre from 'hardhat'
import type { NetworkConnection } from 'hardhat/types/network'
import { contractNames } from '../../deployments/contractNames.ts'
import type { DeployErrorCode } from '../../scripts/deploy/deployError.ts'
import { type DeployOptions, type DeployOutcome, deployProtocol } from '../../scripts/deploy/deployProtocol.ts'
import { LOCAL_KEY, NETWORKS } from '../../scripts/deploy/networks.ts'
import { callsOf } from '../../scripts/deploy/protocolModule.ts'

const scratch = mkdtempSync(path.join(tmpdir(), 'waggle-deploy-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))

/** A contract each, and the coordinator's code behind its proxy. */
export const CREATIONS = contractNames.length + 1

/** Transactions of a deployment with a computed schedule. */
export const TRANSACTIONS = CREATIONS + callsOf({ roundSeconds: 20 }).length

/** A folder that is gone when this process is. */
export function freshDir(): string {
  return mkdtempSync(path.join(scratch, 'data-'))
}

/** Options for a deployment into its own folder. */
export function freshOptions(requested: DeployOptions['requested'] = {}): DeployOptions {
  const dir = freshDir()
  const places = { journalDir: path.join(dir, 'ignition'), recordFile: path.join(dir, 'deployment.json') }
  return { ...places, requested, say: () => {} }
}

/** The networks as they are, but for how often they are asked for a new block: the test's chain makes one in less than a second. */
export const presets = Object.fromEntries(
  Object.entries(NETWORKS).map(([name, preset]) => [name, { ...preset, blockPollingMs: 50 }]),
)

/** A test's own layers between the deployment and the chain. */
export type Wrap = (request: Request) => Request
type Request = NetworkConnection['provider']['request']

/**
 * Deploys in this process to a preset network whose URL is the test's chain.
 *
 * @param wrap - sees, and may refuse, every request to the chain.
 */
export async function deployOn(
  network: string,
  url: string,
  options: DeployOptions,
  wrap: Wrap = request => request,
): Promise<DeployOutcome> {
  const connection = await hre.network.create({ network, override: { url, accounts: [LOCAL_KEY] } })
  try {
    return await deployProtocol(hre, wrapped(connection, wrap), options, presets)
  } finally {
    await connection.close()
  }
}

function wrapped(connection: NetworkConnection, wrap: Wrap): NetworkConnection {
  const provider = connection.provider
  const request = wrap(provider.request.bind(provider))
  const facade = new Proxy(provider, {
    get: (target, name) => (name === 'request' ? request : Reflect.get(target, name)),
  })
  return new Proxy(connection, { get: (target, name) => (name === 'provider' ? facade : Reflect.get(target, name)) })
}

/** Runs a deployment that must be refused, and gives the refusal. */
export async function refused(code: DeployErrorCode, deployment: Promise<unknown>): Promise<string> {
  let message = ''
  await assert.rejects(deployment, (error: Error & { code?: string; hint?: string }) => {
    assert.equal(error.code, code, error.stack)
    message = `${error.message}: ${error.hint}`
    assert(!message.includes('\n'), message)
    return true
  })
  return message
}
