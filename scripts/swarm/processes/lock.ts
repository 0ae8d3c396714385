import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandOf, startOf } from './leftovers.ts'

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
      await writeWhole(path, `${process.pid} ${startOf(process.pid)}\n`)
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const [, pid, startedAt] = /^(\d+)(?: (.+))?$/m.exec(await readFile(path, 'utf8').catch(() => '')) ?? []
    if (pid !== undefined && isHolder(Number(pid), startedAt))
      throw new Error(
        `${data} is in use by the swarm with process id ${pid}: stop it, or choose another folder with --data`,
      )
    await rm(path, { force: true })
  }
}

/** Releases up to 0.5 wrote no start: their swarm is known by its command. A later process may have its id, and this one had none yet. */
function isHolder(pid: number, startedAt: string | undefined): boolean {
  if (startedAt !== undefined) return startOf(pid) === startedAt
  return pid !== process.pid && /\bswarm\.ts\b/.test(commandOf(pid))
}

/** Fails if the file is there. Another swarm never sees a part of it, which it would take for the lock of a process that is gone. */
async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`
  try {
    await writeFile(partial, text)
    await link(partial, path)
  } finally {
    await rm(partial, { force: true })
  }
}
