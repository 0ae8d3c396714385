import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import * as abis from '../../deployments/abi.ts'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import { DeployError } from './deployError.ts'
import type { Places } from './places.ts'
import { contractsChanged } from './requireRelease.ts'

/** Arguments of the contracts, and their chain; written before anything is sent, so that a rerun agrees. */
const parametersSchema = z.strictObject({
  /** Hash of the ABI that off-chain code is built with: of another release it would misread these contracts. */
  abi: z.string(),
  /** Hash of block 0. Two chains of one id differ in it, and so does a local chain before and after a reset. */
  genesisHash: z.string(),
  /** Block at which the first run began: no transaction of ours is older. */
  fromBlock: z.int().nonnegative(),
  startsAtSec: z.int().nonnegative(),
  /** 0 for a manual schedule. */
  roundSeconds: z.int().nonnegative(),
  environmentHash: z.string(),
  /** First round whose evaluators and proposers need stakes. */
  bootstrapRounds: z.int().nonnegative(),
})

export type DeployParameters = Omit<z.infer<typeof parametersSchema>, 'abi'>

/**
 * Reads the parameters that an earlier run left, if one did.
 *
 * @throws {DeployError} CONTRACTS_CHANGED if that run was of a release with other ABIs: what it left need not fit the forms of this one.
 */
export async function readParameters(places: Places): Promise<DeployParameters | undefined> {
  const { journalDir } = places
  const file = path.join(journalDir, 'parameters.json')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const left = z.looseObject({ abi: z.string().default('') }).parse(JSON.parse(text))
    if (left.abi !== hashAbi()) throw contractsChanged(`the ABI of the deployment recorded in ${journalDir}`, places)
    const { abi: _, ...parameters } = parametersSchema.parse(left)
    return parameters
  } catch (cause) {
    if (cause instanceof DeployError) throw cause
    throw new DeployError('JOURNAL_CORRUPT', `${file} is damaged`, `restore it, or delete ${journalDir}`, cause)
  }
}

function hashAbi(): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(abis)))
    .digest('hex')
}

export async function writeParameters(dir: string, parameters: DeployParameters): Promise<void> {
  await writeAtomically(path.join(dir, 'parameters.json'), { abi: hashAbi(), ...parameters })
}

/** Writes JSON so that a reader, or the next run after a kill, sees all of it or none. */
export async function writeAtomically(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`)
}
