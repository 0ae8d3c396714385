import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createStream } from 'rotating-file-stream'
import { LOG_FILE } from '../../../node/src/cli/options/commonSettings.ts'
import { endGroup, endInOrder } from './endGroup.ts'
import { noteProcesses } from './leftovers.ts'

export interface ProcessSpec {
  name: string
  command: string
  argv: string[]
  env?: Record<string, string>
  cwd?: string
}

export interface Managed {
  name: string
  pid: number
  logPath: string
  /** Settles with the exit status, or the signal's name, when the process has ended and its log is written. */
  exited: Promise<number | string>
  stop: () => Promise<void>
}

/**
 * Starts the swarm's processes and ends every one of them.
 *
 * Each child leads its own process group, so that Ctrl-C reaches the supervisor alone and it decides the order;
 * its output goes to `<logDir>/<name>.log`, which is rotated.
 */
export class Supervisor {
  readonly #logDir: string
  readonly #notesPath: string
  readonly #children = new Map<string, Managed>()

  /** @param notesPath - file that says which processes run, for a later swarm to clear away if this one is killed. */
  constructor(logDir: string, notesPath: string) {
    this.#logDir = logDir
    this.#notesPath = notesPath
  }

  /** @param onExit - called when the process ends without having been asked to. */
  async start(spec: ProcessSpec, onExit?: (status: number | string) => void): Promise<Managed> {
    await mkdir(this.#logDir, { recursive: true })
    const logPath = this.logPath(spec.name)
    const child = spawn(spec.command, spec.argv, {
      cwd: spec.cwd,
      env: { ...process.env, ...spec.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const endLog = logProcess(child, logPath, console.error)
    let asked = false
    const closed = new Promise<number | string>(resolve => {
      child.once('error', error => resolve(error.message))
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
    })
    const exited = closed.then(async status => {
      await endLog()
      return status
    })
    void exited.then(status => {
      this.#children.delete(spec.name)
      this.#note()
      if (!asked) onExit?.(status)
    })
    const stop = async () => {
      asked = true
      if (child.pid !== undefined) await endGroup(child.pid, exited)
    }
    const managed: Managed = { name: spec.name, pid: child.pid ?? 0, logPath, exited, stop }
    this.#children.set(spec.name, managed)
    this.#note()
    return managed
  }

  #note(): void {
    noteProcesses(this.#notesPath, this.#children.values())
  }

  logPath(name: string): string {
    return join(this.#logDir, `${name}.log`)
  }

  /** Ends processes by the prefix of their name, in the order given, or all of them. */
  async stopAll(order?: readonly string[]): Promise<void> {
    await endInOrder(
      () => this.#children.values(),
      ({ stop }) => stop(),
      order,
    )
  }
}

/** The last lines of a log, for an error message that shows why a process ended. */
export async function logTail(path: string, lines = 12): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-lines).join('\n')
}

/**
 * Writes what a process prints to a file, which is continued and rotated. A log that cannot be written, as on a full disk, ends neither the
 * process nor its supervisor: it is reported once, and the output is dropped until the next start.
 *
 * @returns ends the log once the process has closed its output; resolves when all is written.
 */
export function logProcess(child: ChildProcess, path: string, say: (line: string) => void): () => Promise<void> {
  const { megabytes, files } = LOG_FILE
  const log = createStream(basename(path), { path: dirname(path), size: `${megabytes}M`, rotate: files })
  log.once('error', error => say(`${path} is not written until its process starts again: ${error.message}`))
  const outputs = [child.stdout, child.stderr].filter(output => output !== null)
  // A pipe that lost its reader would fill up, and the process would wait for it.
  log.on('error', () => outputs.forEach(output => void output.resume()))
  for (const output of outputs) output.pipe(log, { end: false })
  return async () => {
    if (!log.destroyed) await new Promise<void>(resolve => log.end(() => resolve()))
  }
}
