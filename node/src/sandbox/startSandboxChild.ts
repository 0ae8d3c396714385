import { execFile, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { NodeError } from '#base/errors.ts'
import { type AskedResult, openCaseChannel } from './caseChannel.ts'
import { pythonSnapshot, SNAPSHOTS } from './pythonSnapshot.ts'
import type { PythonCase } from './runCode.ts'

export type SandboxChild = {
  /** A child that does not answer in time, or answers something else, is killed. */
  ask(given: PythonCase): Promise<AskedResult>
  isAlive(): boolean
  stop(): Promise<void>
}

/** Generous: half a second on an idle machine, two without a snapshot. */
const START_TIMEOUT_MS = 120_000
/** A hang is first interrupted inside Python; if that does not help, the process is killed this much later. */
const KILL_GRACE_MS = 500
const MEMORY_POLL_MS = 250
/** Memory of Node and Pyodide in addition to Python's heap: two copies of its first 30 MB, and the engine. */
const MEMORY_OVERHEAD_MB = 512

/**
 * Starts the locked-down process and waits until Python is ready.
 *
 * @param snapshots - folder of `pythonSnapshot`.
 * @throws {SandboxStartError}
 */
export async function startSandboxChild(memoryLimitMb: number, snapshots = SNAPSHOTS): Promise<SandboxChild> {
  const entry = createRequire(import.meta.url).resolve('pyodide/pyodide.mjs')
  const folders = { pyodide: dirname(entry), sandbox: dirname(fileURLToPath(import.meta.url)) }
  const pyodideUrl = pathToFileURL(entry).href
  const snapshot = await pythonSnapshot(pyodideUrl, snapshots)
  const child = spawn(
    process.execPath,
    [
      '--permission',
      `--allow-fs-read=${folders.pyodide}`,
      `--allow-fs-read=${folders.sandbox}`,
      ...(snapshot === null ? [] : [`--allow-fs-read=${snapshot}`]),
      '--disallow-code-generation-from-strings',
      '--no-warnings',
      join(folders.sandbox, 'sandboxChild.ts'),
      pyodideUrl,
      String(memoryLimitMb),
      ...(snapshot === null ? [] : [snapshot]),
    ],
    { env: {}, cwd: folders.pyodide, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let errors = ''
  child.stderr.on('data', chunk => {
    errors = (errors + String(chunk)).slice(-2_000)
  })
  let isKilled = false
  const kill = () => {
    isKilled = true
    child.kill('SIGKILL')
  }
  const watch = setInterval(async () => {
    if ((await residentMb(child.pid ?? 0)) > memoryLimitMb + MEMORY_OVERHEAD_MB) kill()
  }, MEMORY_POLL_MS)
  const exited = new Promise<void>(resolve => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  }).then(() => clearInterval(watch))
  const channel = openCaseChannel({ requests: child.stdin, answers: child.stdout, kill })

  const first = await channel.ask({ code: '', expressions: [], timeoutMs: START_TIMEOUT_MS }, START_TIMEOUT_MS)
  if (first.outcome !== 'values') {
    kill()
    await exited
    // The next start makes another one.
    if (snapshot !== null) await rm(snapshot, { force: true })
    throw new SandboxStartError(`The sandbox did not start: ${errors || 'no answer'}.`, {
      hint: `Check that node ${process.version} can read ${folders.sandbox} and that pyodide is installed.`,
    })
  }
  return {
    ask: given => channel.ask(given, given.timeoutMs + KILL_GRACE_MS),
    isAlive: () => !isKilled,
    stop: () => {
      kill()
      return exited
    },
  }
}

/** The sandbox's process did not start. */
export class SandboxStartError extends NodeError {
  readonly code = 'SANDBOX_START'
}

/**
 * Resident memory of a process, MB; 0 once it has ended.
 *
 * @param platform - Linux tells it in a file; elsewhere `ps` is asked, which takes a few milliseconds.
 */
export async function residentMb(pid: number, platform: string = process.platform): Promise<number> {
  if (platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return Number(stdout.trim()) / 1_024
}
