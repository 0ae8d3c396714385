import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { DeployError } from './deployError.ts'

/** What the contracts are made with, and on which chain; written before anything is sent, so that a rerun agrees. */
const parametersSchema = z.strictObject({
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

export type DeployParameters = z.infer<typeof parametersSchema>

/** Reads the parameters that an earlier run left, if one did. */
export async function readParameters(dir: string): Promise<DeployParameters | undefined> {
  const file = path.join(dir, 'parameters.json')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return parametersSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new DeployError('JOURNAL_CORRUPT', `${file} is damaged`, `restore it, or delete ${dir}`, cause)
  }
}

export async function writeParameters(dir: string, parameters: DeployParameters): Promise<void> {
  await writeAtomically(path.join(dir, 'parameters.json'), parameters)
}

/** Writes JSON so that a reader, or the next run after a kill, sees all of it or none. */
export async function writeAtomically(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(`${file}.tmp`, `${JSON.stringify(value, null, 2)}\n`)
  await rename(`${file}.tmp`, file)
}
