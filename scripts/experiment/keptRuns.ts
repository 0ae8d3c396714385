import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import { readDecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'
import { hashStoredWeights } from '../../node/model/src/model/decoder/weights.ts'
import { starterFolder } from '../../node/src/environments/builtIn.ts'
import { type EnvironmentSpec, environmentHash } from '../../node/src/environments/environmentSpec.ts'
import { type Measured, measuredNow } from '../measure/results.ts'
import type { ExperimentOptions } from './experiment.ts'

/**
 * The result of a run, from its file in the experiment's folder, or from `run`, whose result is written there: a stopped experiment
 * resumes with the first run that is missing. The file also has the day and the machine of the run, unless the result is a number.
 *
 * @param name - of the run: all that its result depends on.
 * @returns null if there is no file and only kept runs are wanted.
 */
export async function keptRun<T>(
  { data, onlyKept, measured }: Pick<ExperimentOptions, 'data' | 'onlyKept' | 'measured'>,
  name: string,
  run: () => Promise<T>,
): Promise<T | null> {
  const path = join(data, `${name}.json`)
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept !== null) {
    const result = JSON.parse(kept) as T & { measured?: Measured }
    if (result.measured === undefined) return result
    measured.push(result.measured)
    delete result.measured
    return result
  }
  if (onlyKept) return null
  const result = await run()
  const when = await measuredNow()
  measured.push(when)
  await mkdir(data, { recursive: true })
  await writeFileAtomic(
    path,
    `${JSON.stringify(typeof result === 'object' ? { ...result, measured: when } : result, null, 2)}\n`,
  )
  return result
}

/**
 * Eight hexadecimal digits for the name of a run that begins with the starter: its rules, which name the judge, and the solver's weights. Runs of
 * other rules or weights are then other runs, and are not mixed with these.
 */
export async function startOf(spec: EnvironmentSpec): Promise<string> {
  const folder = join(starterFolder, 'solver')
  const weights = await hashStoredWeights(folder, await readDecoderConfig(folder))
  return createHash('sha256').update(environmentHash(spec)).update(weights).digest('hex').slice(0, 8)
}

/** Eight hexadecimal digits of a value's JSON, for the name of a run that depends on it. */
export const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
