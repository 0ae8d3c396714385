import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A program that is asked to measure, one JSON line in and one out. Between questions it is idle. */
export interface Peer {
  ask<T>(question: Record<string, unknown>): Promise<T>
  stop(): Promise<void>
}

/** Starts a peer; what it writes to stderr is shown if it fails. */
export function startPeer(command: string, argv: readonly string[], env?: Record<string, string>): Peer {
  const child: ChildProcess = spawn(command, argv, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors = (errors + chunk).slice(-2000)
  })
  const answers: { resolve(answer: unknown): void; reject(error: Error): void }[] = []
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  lines.on('line', line => {
    if (!line.startsWith('{')) return // libraries may print other lines
    const { error, ...answer } = JSON.parse(line)
    const waiting = answers.shift()
    if (error) waiting?.reject(new Error(error))
    else waiting?.resolve(answer)
  })
  const ended = new Promise<void>(resolve => {
    const fail = (reason: string) => {
      for (const waiting of answers.splice(0)) waiting.reject(new Error(reason))
      resolve()
    }
    child.on('error', error => fail(error.message))
    child.on('exit', code => fail(`ended with ${code}: ${errors.trim().split('\n').at(-1) ?? ''}`))
  })
  return {
    ask<T>(question: Record<string, unknown>) {
      return new Promise<T>((resolve, reject) => {
        if (child.exitCode !== null) reject(new Error(`ended with ${child.exitCode}: ${errors.trim()}`))
        answers.push({ resolve: resolve as (answer: unknown) => void, reject })
        child.stdin?.write(`${JSON.stringify(question)}\n`)
      })
    },
    async stop() {
      child.stdin?.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(timer)
    },
  }
}
