import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../../../node/src/store/lockFile.ts'
import { hasNotes, KEPT, startOf } from './leftovers.ts'

/** Marks a folder as a swarm's from its first run on, and keeps others out while one runs. */
const LOCK_FILE = 'swarm.lock'
/** Tells people, and releases up to 0.14, who holds the folder. */
const PID_FILE = 'swarm.pid'

/**
 * One swarm to a data folder, which holds nothing of anybody else under the names that a swarm uses: `--fresh` deletes those.
 *
 * @returns release, to be called when everything has stopped.
 * @throws {Error} if another swarm that still runs holds the folder, or if something else is kept there.
 */
export async function lockData(data: string): Promise<() => Promise<void>> {
  await mkdir(data, { recursive: true })
  await requireOwn(data)
  const pidPath = join(data, PID_FILE)
  const unlock = lock(join(data, LOCK_FILE))
  const [pid, startedAt] = (await readPid(data)).trim().split(/ (.*)/)
  const isHeld = unlock === null || (startedAt !== undefined && startOf(Number(pid)) === startedAt)
  if (isHeld) {
    unlock?.()
    const holder = pid ? `the swarm with process id ${pid}` : 'another swarm'
    throw new Error(`${data} is in use by ${holder}: stop it, or ${CHOOSE}`)
  }
  await writeFile(pidPath, `${process.pid} ${startOf(process.pid)}\n`)
  return async () => {
    await rm(pidPath, { force: true })
    unlock()
  }
}

function lock(path: string): (() => void) | null {
  try {
    return lockFile(path)
  } catch (cause) {
    throw new Error(`${path} cannot be locked: ${(cause as Error).message}`, { cause })
  }
}

/** Releases up to 0.14 left no lock file, but a record of processes, and one of their own process while it ran. */
async function requireOwn(data: string): Promise<void> {
  const found = await readdir(data)
  const foreign = KEPT.find(name => found.includes(name))
  if (foreign === undefined || found.includes(LOCK_FILE) || hasNotes(data)) return
  if (/^\d+ ./.test(await readPid(data))) return
  const is = `no swarm has run in ${data}, which holds ${foreign}`
  // All that a run of such a release left if it failed before its first process.
  if (foreign === 'logs') throw new Error(`${is}: delete it if it is of a swarm, or ${CHOOSE}`)
  throw new Error(`${is}: move ${foreign} away, or ${CHOOSE}`)
}

const CHOOSE = 'choose another folder with --data'

/** Process id and start of the holder; empty if there is none. */
const readPid = (data: string) => readFile(join(data, PID_FILE), 'utf8').catch(() => '')
