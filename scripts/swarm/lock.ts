import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * One swarm to a data folder.
 *
 * @returns release, to be called when everything has stopped.
 * @throws {Error} if another swarm that still runs holds the folder.
 */
export async function lockData(data: string): Promise<() => Promise<void>> {
  await mkdir(data, { recursive: true })
  const path = join(data, 'swarm.pid')
  for (;;) {
    try {
      await writeFile(path, `${process.pid}\n`, { flag: 'wx' })
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => '0'))
    if (holder > 0 && alive(holder))
      throw new Error(
        `${data} is in use by the swarm with process id ${holder}: stop it, or choose another folder with --data`,
      )
    await rm(path, { force: true })
  }
}
