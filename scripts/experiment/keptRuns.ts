import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import type { ExperimentOptions } from './experiment.ts'

/**
 * The result of a run, from its file in the experiment's folder, or from `run`, whose result is written there: a stopped experiment
 * resumes with the first run that is missing.
 *
 * @param name - of the run: all that its result depends on.
 * @returns null if there is no file and only kept runs are wanted.
 */
export async function keptRun<T>(
  { data, onlyKept }: Pick<ExperimentOptions, 'data' | 'onlyKept'>,
  name: string,
  run: () => Promise<T>,
): Promise<T | null> {
  const path = join(data, `${name}.json`)
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept !== null) return JSON.parse(kept) as T
  if (onlyKept) return null
  const result = await run()
  await mkdir(data, { recursive: true })
  await writeFileAtomic(path, `${JSON.stringify(result, null, 2)}\n`)
  return result
}
