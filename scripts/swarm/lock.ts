import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startOf } from './leftovers.ts'

/**
 * One swarm to a data folder. The holder is known by its process id and its start: in a container, the next process has the same id.
 *
 * @returns release, to be called when everything has stopped.
 * @throws {Error} if another swarm that still runs holds the folder.
 */
export async function lockData(data: string): Promise<() => Promise<void>> {
  await mkdir(data, { recursive: true })
  const path = join(data, 'swarm.pid')
  for (;;) {
    try {
      await writeFile(path, `${process.pid} ${startOf(process.pid)}\n`, { flag: 'wx' })
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const [, pid, startedAt] = /^(\d+) (.+)$/m.exec(await readFile(path, 'utf8').catch(() => '')) ?? []
    if (startedAt !== undefined && startOf(Number(pid)) === startedAt)
      throw new Error(
        `${data} is in use by the swarm with process id ${pid}: stop it, or choose another folder with --data`,
      )
    await rm(path, { force: true })
  }
}
