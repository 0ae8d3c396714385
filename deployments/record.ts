import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { eachContract } from './contractNames.ts'
import { type KnownNetwork, knownNetworks } from './networks.ts'

const known: Readonly<Record<string, KnownNetwork>> = knownNetworks

/** A record has a few kB. */
const MAX_BYTES = 2 ** 18

const contractSchema = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address')
    .refine(text => !hasChecksum(text) || isAddress(text), 'has a wrong checksum: a digit or letter is mistyped')
    .transform(text => text as Address),
  /** Block of the contract's creation: no event of it is older. */
  startBlock: z.int().nonnegative(),
})

/** Addresses of the contracts on one network, as `npx hardhat deploy` writes them. */
export const deploymentSchema = z
  .strictObject({
    network: z.string().min(1),
    chainId: z.int().positive(),
    contracts: z.strictObject(eachContract(() => contractSchema)),
  })
  .superRefine(({ network, chainId }, context) => {
    const due = Object.hasOwn(known, network) ? known[network]?.chainId : undefined
    if (due !== undefined && due !== chainId)
      context.addIssue({
        code: 'custom',
        path: ['chainId'],
        message: `is ${chainId}, but that of ${network} is ${due}`,
      })
  })

export type Deployment = z.infer<typeof deploymentSchema>

/** Addresses in one case have no checksum (EIP-55). */
function hasChecksum(address: string): boolean {
  return /[a-f]/.test(address) && /[A-F]/.test(address)
}

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
 * Path of the record of a network.
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
 * @throws {DeploymentRecordError} that says what is wrong, if the file cannot be read, is not JSON or does not fit the schema.
 */
export function readDeployment(file: string): Deployment {
  const text = readText(file)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw notARecord(file, 'it is not JSON, or cut off', cause)
  }
  const checked = deploymentSchema.safeParse(parsed)
  if (checked.success) return checked.data
  throw notARecord(file, problemOf(checked.error), checked.error)
}

/** Pipes and devices may never end. */
function readText(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined)
    throw new DeploymentRecordError(
      `no deployment record at ${file}`,
      'DEPLOYMENT_MISSING',
      'run "npx hardhat deploy --network NAME" first, or point WAGGLE_DEPLOYMENT at a record',
    )
  if (!found.isFile()) throw notARecord(file, 'it is not a regular file')
  if (found.size > MAX_BYTES) throw notARecord(file, `it has ${found.size} bytes, more than ${MAX_BYTES}`)
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new DeploymentRecordError(
      `the deployment record ${file} cannot be read (${reason})`,
      'DEPLOYMENT_MISSING',
      'give this user the permission to read it',
      cause,
    )
  }
}

function notARecord(file: string, why: string, cause?: unknown): DeploymentRecordError {
  const hint = 'restore the file, for example with "git checkout", or ask the deployer for the record of this release'
  return new DeploymentRecordError(`${file} is not a deployment record: ${why}`, 'DEPLOYMENT_CORRUPT', hint, cause)
}

/** The first problem of a record. A missing or an unknown contract means that the record is of another release. */
function problemOf({ issues }: z.ZodError): string {
  const [first] = issues
  if (first === undefined) return 'it does not fit the schema'
  const where = first.path.join('.')
  if (first.code === 'unrecognized_keys') {
    const [name] = first.keys
    return where === 'contracts' ? `it is of another release, with a contract ${name}` : `it has another field, ${name}`
  }
  if (first.path[0] === 'contracts' && first.path.length === 2 && first.code === 'invalid_type')
    return `it is of another release, without the contract ${where.slice('contracts.'.length)}`
  return first.code === 'custom' || first.code === 'invalid_format'
    ? `${where} ${first.message}`
    : `${where}: ${first.message}`
}

/** The oldest block that can hold an event of the deployment. */
export function firstBlock(deployment: Deployment): number {
  return Math.min(...Object.values(deployment.contracts).map(contract => contract.startBlock))
}
