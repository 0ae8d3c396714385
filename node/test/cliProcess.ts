import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '../src/cli/main.ts')

/** The environment of a shell in which nothing of Waggle is set. */
const bare = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('WAGGLE_') && !name.endsWith('_RPC_URL')),
)

export type CliResult = { code: number | null; stdout: string; stderr: string }

/** Where no swarm has left a deployment's record. */
const cwd = mkdtempSync(join(tmpdir(), 'waggle-cwd-'))

/** A command line that runs, as its own process. */
export function startCli(argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...argv], {
    cwd,
    env: { ...bare, ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  const lines = createInterface(child.stdout)
  // One for each line that a test waits for.
  lines.setMaxListeners(0)
  lines.on('line', line => {
    said.stdout += `${line}\n`
  })
  child.stderr.on('data', chunk => {
    said.stderr += chunk
  })
  /** The first line of stdout that holds all the texts, once there is one. @throws if the process ends first. */
  const line = (...texts: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const isIt = (candidate: string) => texts.every(text => candidate.includes(text))
      const found = said.stdout.split('\n').find(isIt)
      if (found !== undefined) return resolve(found)
      lines.on('line', candidate => isIt(candidate) && resolve(candidate))
      exited.then(({ stderr }) => reject(new Error(`ended before it said ${texts.join(' with ')}: ${stderr}`)))
    })
  const exited: Promise<CliResult> = once(child, 'close').then(([code]) => ({ code, ...said }))
  /** Resolves once stderr holds the text. */
  const told = (text: string) =>
    new Promise<void>(resolve => {
      const look = () => said.stderr.includes(text) && resolve()
      look()
      child.stderr.on('data', look)
    })
  return {
    pid: child.pid,
    exited,
    told,
    /** As a pipe into `head` that ends. */
    stopReading: () => child.stdout.destroy(),
    /** Ctrl-C. */
    interrupt: () => child.kill('SIGINT'),
    /** Resolves once a line of stdout holds the text. @throws if the process ends first. */
    said: async (text: string): Promise<void> => {
      await line(text)
    },
    line,
    /** Without warning. */
    kill() {
      child.kill('SIGKILL')
      return exited
    },
    stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}

export function runCli(argv: readonly string[], env?: Record<string, string>): Promise<CliResult> {
  return startCli(argv, env).exited
}

/** Takes a free port of loopback until it is closed. */
export async function takePort(): Promise<{ port: number; server: Server }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, server }
}
