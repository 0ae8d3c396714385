import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { writeFileAtomicSync } from '../../../node/model/src/base/writeFileAtomic.ts'
import { beforeAbort } from '../../../node/src/core/deadline.ts'
import { endGroup, endInOrder } from './endGroup.ts'

/** Record of a swarm's processes, in its data folder from its first process on. */
export const PROCESSES_FILE = 'processes.json'

/** A process, identified by its id and start time. */
type Started = { name: string; pid: number; startedAt: string }

/** A signal to group 1 would reach every process. */
const startedSchema = z.array(z.object({ name: z.string(), pid: z.int().min(2), startedAt: z.string() }))

/**
 * Start of a process: in ticks since boot where Linux tells them, else the date that `ps` prints. Undefined if it is gone, or has ended and waits for
 * its parent to notice, as under the first process of a container, which may never do.
 *
 * @param platform - as Node has it.
 */
export function startOf(pid: number, platform: string = process.platform): string | undefined {
  try {
    if (platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Counted from the last ')': a command's name may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, threads, startedAt] = [fields[0], Number(fields[17]), fields[19]]
    // While a thread is left, so are the process's ports.
    return state === 'Z' && threads <= 1 ? undefined : startedAt
  } catch {
    return undefined
  }
}

/**
 * Records the running processes, so that the next swarm can clean up after a killed one. Where that cannot be written, as on a full disk,
 * the last record stays and the swarm goes on.
 */
export function noteProcesses(path: string, running: Iterable<{ name: string; pid: number }>): void {
  const notes = [...running].flatMap(({ name, pid }) => {
    const startedAt = startOf(pid)
    return startedAt === undefined ? [] : [{ name, pid, startedAt }]
  })
  try {
    writeFileAtomicSync(path, JSON.stringify(notes), 0o600)
  } catch (error) {
    console.error(`cannot record the processes of the swarm: ${(error as Error).message}`)
  }
}

/** `say`: is told of what is ended. `graceMs`: what each has to end by itself. */
type Ending = { say?: (line: string) => void; graceMs?: number; signal?: AbortSignal }

/**
 * Ends the processes that a killed swarm left running, each with its process group, and returns once they are gone: they hold ports and write to the
 * data folder.
 *
 * @returns names of what was ended.
 * @throws the signal's reason; the next swarm ends what is left then.
 */
export async function endLeftovers(path: string, { say, graceMs, signal }: Ending = {}): Promise<string[]> {
  const left = (readNotes(path) ?? []).filter(isRunning)
  const names = left.map(({ name }) => name)
  if (names.length > 0) say?.(`ending what a killed swarm left running: ${names.join(', ')} …`)
  const ended = endInOrder(
    () => left.filter(isRunning),
    one => endGroup(one.pid, untilGone(one), graceMs),
  )
  await (signal === undefined ? ended : beforeAbort(ended, signal))
  return names
}

const isRunning = ({ pid, startedAt }: Started) => startOf(pid) === startedAt

async function untilGone(process: Started): Promise<void> {
  while (isRunning(process)) await sleep(100)
}

/** Whether a folder has a swarm's record of processes. */
export const hasNotes = (data: string) => readNotes(join(data, PROCESSES_FILE)) !== null

/** Null where there is no record, or one that a release without whole writes left cut. */
function readNotes(path: string): Started[] | null {
  try {
    return startedSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** Everything that a run leaves in its data folder, and that `--fresh` forgets. */
export const KEPT = ['chain', 'ignition', 'deployment.json', 'peers', 'index', 'before', 'logs', 'held-out.json']

/** Deletes what earlier runs left in the data folder of a swarm. Other files there stay. */
export async function forgetRuns(data: string): Promise<void> {
  await Promise.all(KEPT.map(name => rm(join(data, name), { recursive: true, force: true })))
}
