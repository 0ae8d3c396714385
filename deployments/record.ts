import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Address } from 'viem'
import { z } from 'zod'
import { eachContract } from './contractNames.ts'

const contractSchema = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'not an address')
    .transform(text => text as Address),
  /** Block of the contract's creation: no event of it is older. */
  startBlock: z.int().nonnegative(),
})

/** Where the contracts are on one network; what `npx hardhat deploy` writes. */
export const deploymentSchema = z.strictObject({
  network: z.string().min(1),
  chainId: z.int().positive(),
  contracts: z.strictObject(eachContract(() => contractSchema)),
})

export type Deployment = z.infer<typeof deploymentSchema>

/** A deployment's record that is not there, or is none. Shaped like the node's errors: message, hint, code. */
export class DeploymentRecordError extends Error {
  readonly code: 'DEPLOYMENT_MISSING' | 'DEPLOYMENT_CORRUPT'
  readonly hint: string
  readonly retryable = false

  constructor(message: string, code: DeploymentRecordError['code'], hint: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DeploymentRecordError'
    this.code = code
    this.hint = hint
  }
}

/**
 * Where the record of a network lies.
 *
 * @param network - name in hardhat.config.ts. The record of `local` is kept in the data folder and never tracked; any other is kept next to
 * this file and tracked.
 * @param dataDir - data folder of the local swarm.
 */
export function deploymentPath(network: string, dataDir = '.waggle'): string {
  return network === 'local'
    ? path.resolve(dataDir, 'deployment.json')
    : path.join(import.meta.dirname, `${network}.json`)
}

/**
 * Reads a deployment's record.
 *
 * @throws {DeploymentRecordError} if the file is missing, is not JSON or does not fit the schema.
 */
export function readDeployment(file: string): Deployment {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const hint = 'run "npx hardhat deploy --network NAME" first, or point WAGGLE_DEPLOYMENT at a record'
    throw new DeploymentRecordError(`no deployment record at ${file}`, 'DEPLOYMENT_MISSING', hint, cause)
  }
  try {
    return deploymentSchema.parse(JSON.parse(text))
  } catch (cause) {
    const hint = 'delete it and run "npx hardhat deploy" again: a rerun writes the record and sends nothing'
    throw new DeploymentRecordError(`${file} is not a deployment record`, 'DEPLOYMENT_CORRUPT', hint, cause)
  }
}

/** The oldest block that can hold an event of the deployment. */
export function firstBlock(deployment: Deployment): number {
  return Math.min(...Object.values(deployment.contracts).map(contract => contract.startBlock))
}
