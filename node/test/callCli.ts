import { format } from 'node:util'
import { vi } from 'vitest'
import { printFailure, runCommandLine } from '../src/cli/commandLine.ts'
import type { CliResult } from './cliProcess.ts'

let isRunning = false

/**
 * Runs a command line in this process, which takes a tenth of the time of its own process: for what commands do. What belongs to a
 * process, such as signals and pipes, needs `runCli`. Arguments and environment have to name the folder and the deployment: only
 * `runCli` starts in an empty folder.
 */
export async function callCli(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  if (isRunning) throw new Error('one command at a time: console and environment are those of this process')
  isRunning = true
  const said = { stdout: '', stderr: '' }
  const into =
    (stream: keyof typeof said) =>
    (...texts: unknown[]) => {
      said[stream] += `${format(...texts)}\n`
    }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(into('stdout')),
    vi.spyOn(console, 'error').mockImplementation(into('stderr')),
  ]
  const { env: ownEnv, exitCode } = process
  const bare = Object.entries(ownEnv).filter(([name]) => !name.startsWith('WAGGLE_') && !name.endsWith('_RPC_URL'))
  process.env = { ...Object.fromEntries(bare), ...env } as NodeJS.ProcessEnv
  process.exitCode = undefined
  try {
    await runCommandLine(argv).catch(printFailure)
    return { code: Number(process.exitCode ?? 0), ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.env = ownEnv
    process.exitCode = exitCode
    isRunning = false
  }
}
