import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What a run found, from its file in a folder, or from `run`, whose result is kept there: an experiment that was stopped goes on
 * with the first run that is missing.
 *
 * @param name - of the run: all that its result depends on.
 */
export async function keptRun<T>(folder: string, name: string, run: () => Promise<T>): Promise<T> {
  const path = join(folder, `${name}.json`)
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept !== null) return JSON.parse(kept) as T
  const result = await run()
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.tmp`, `${JSON.stringify(result, null, 2)}\n`)
  await rename(`${path}.tmp`, path)
  return result
}
