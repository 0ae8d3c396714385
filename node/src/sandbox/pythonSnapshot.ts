import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Next to the cache of compiled modules; a new installation clears it. */
export const SNAPSHOTS = join(import.meta.dirname, '../../../node_modules/.cache/waggle-python')
const MAKER = join(import.meta.dirname, 'makeSnapshot.ts')

let making: Promise<string | null> | undefined

/**
 * File with the memory of a Python that has just started: 31 MB, which load in 0.3 s; a start takes 2 s of work. It is made on first use, once for
 * each version of Pyodide.
 *
 * @param pyodideUrl - of the module.
 * @param folder - of the file.
 * @returns null if it cannot be made or stored.
 */
export async function pythonSnapshot(pyodideUrl: string, folder = SNAPSHOTS): Promise<string | null> {
  const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string }
  const file = join(folder, `${version}.snapshot`)
  if (existsSync(file)) return file
  making ??= make(pyodideUrl, folder, file).catch(() => null)
  return making.finally(() => {
    making = undefined
  })
}

/** Other processes may make it at the same time: it appears as a whole. */
async function make(pyodideUrl: string, folder: string, file: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const unfinished = `${file}.${process.pid}`
  try {
    await promisify(execFile)(process.execPath, ['--no-warnings', MAKER, pyodideUrl, unfinished])
    await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
  return file
}
