import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SandboxStartError } from './sandboxErrors.ts'

/** What the parent learns of a case: its outcome, that the child said nothing in time, or that the child is gone. */
export type ChildLine = { kind: 'outcome'; outcome: string } | { kind: 'silent' } | { kind: 'gone' }

export type SandboxChild = {
  /** Sends a request and yields `count` outcomes; ends early after 'silent' or 'gone'. */
  send(request: object, silenceMs: number, count: number): AsyncGenerator<ChildLine>
  isAlive(): boolean
  stop(): Promise<void>
}

type ChildOptions = {
  pyodideUrl: string
  pyodideFolder: string
  sandboxFolder: string
  caseTimeoutMs: number
  memoryLimitMb: number
}

/** Generous: two seconds on an idle machine. */
const START_TIMEOUT_MS = 120_000
const MEMORY_POLL_MS = 250
/** What Node and Pyodide take beside Python's heap. */
const MEMORY_OVERHEAD_MB = 512

/** Starts the locked-down process and waits until Python is ready. */
export async function startSandboxChild(options: ChildOptions): Promise<SandboxChild> {
  const { pyodideFolder, sandboxFolder, memoryLimitMb } = options
  const child = spawn(process.execPath, childArguments(options), {
    env: {},
    cwd: pyodideFolder,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors = (errors + String(chunk)).slice(-2_000)
  })
  child.stdin.on('error', () => {})
  const exited = new Promise<void>(resolve => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  })
  const lines = lineQueue(createInterface({ input: child.stdout }), exited)
  const watch = setInterval(() => {
    if (residentMb(child.pid) > memoryLimitMb + MEMORY_OVERHEAD_MB) child.kill('SIGKILL')
  }, MEMORY_POLL_MS)
  const isAlive = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined
  const stop = async () => {
    clearInterval(watch)
    if (isAlive()) child.kill('SIGKILL')
    await exited
  }

  const ready = await lines.next(START_TIMEOUT_MS)
  if (typeof ready !== 'string') {
    await stop()
    throw new SandboxStartError(`The sandbox did not start: ${errors || 'no answer'}.`, {
      hint: `Check that node ${process.version} can read ${sandboxFolder} and that pyodide is installed.`,
    })
  }
  return {
    isAlive,
    stop,
    send: async function* (request, silenceMs, count) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      for (let i = 0; i < count; i++) {
        const line = await lines.next(silenceMs)
        if (typeof line !== 'string') {
          yield { kind: line === null ? 'silent' : 'gone' }
          return
        }
        yield { kind: 'outcome', outcome: (JSON.parse(line) as { outcome: string }).outcome }
      }
    },
  }
}

function childArguments(options: ChildOptions): string[] {
  const { pyodideUrl, pyodideFolder, sandboxFolder, caseTimeoutMs, memoryLimitMb } = options
  return [
    '--permission',
    `--allow-fs-read=${pyodideFolder}`,
    `--allow-fs-read=${sandboxFolder}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    join(sandboxFolder, 'sandboxChild.ts'),
    pyodideUrl,
    join(sandboxFolder, 'harness.py'),
    String(caseTimeoutMs / 1_000),
    String(memoryLimitMb),
  ]
}

/** Lines as they come; `next` gives null after the given silence and undefined once the process is gone. */
function lineQueue(lines: NodeJS.EventEmitter, exited: Promise<void>) {
  const waiting: string[] = []
  let isGone = false
  let wake = () => {}
  lines.on('line', line => {
    waiting.push(line)
    wake()
  })
  lines.on('close', () => {
    void exited.then(() => {
      isGone = true
      wake()
    })
  })
  return {
    next: async (silenceMs: number): Promise<string | null | undefined> => {
      if (!waiting.length && !isGone) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>(resolve => {
          wake = resolve
          timer = setTimeout(resolve, silenceMs)
        })
        clearTimeout(timer)
      }
      if (waiting.length) return waiting.shift() as string
      return isGone ? undefined : null
    },
  }
}

/** Resident memory of a process, MB; 0 where the system does not tell. */
function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
  } catch {
    return 0 // no /proc on this system, or the process has just ended
  }
}
